// SPDX-License-Identifier: BSD-3-Clause
#include "flow/command/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_line/run_options.hpp"
#include "flow/check/check.hpp"
#include "flow/check/check_json.hpp"
#include "flow/check/lumen_check.hpp"
#include "flow/check/unlikely.hpp"
#include "flow/extracts/extracts.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/run/result_json.hpp"
#include "flow/run/simulation.hpp"
#include "flow/run/speed.hpp"
#include "flow/scaling/lattice_choice.hpp"
#include "flow/set_up/set_up.hpp"
#include "flow/summary/summary.hpp"
#include "flow/watching/viewer.hpp"
#include "program/await_root.hpp"
#include "program/machine_memory.hpp"
#include "program/readable.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

struct FlowOptions : command_line::RunOptions {
  std::filesystem::path set_up;
  bool measure = false;
  std::string replay;
  std::optional<std::string> view;
  std::string view_address = "127.0.0.1";
  bool view_open = false;
};

flow::Case read(Transport& world, const FlowOptions& o) {
  flow::Case c;
  together(world, [&] {
    c = flow::read_case(o.file, o.overrides());
    if (!o.out.empty()) c.output.directory = o.out;
  });
  return c;
}

void say_setup(const flow::Case& c, const flow::Vessel& vessel, int ranks) {
  const auto& s = vessel.setup;
  fmt::print("{}: {} sites in {} blocks, voxelised in {:.1f} s, decomposed for {} rank{} in {:.1f} s\n", c.title,
             s.sites, s.blocks, s.voxelise_seconds, ranks, ranks == 1 ? "" : "s", s.decompose_seconds);
  fmt::print("  set-up: {:.1f} s", vessel.setup_seconds);
  if (vessel.setup_bytes > 0)
    fmt::print(", at most {} of memory over all ranks ({:.0f} bytes a site)",
               program::bytes_text(static_cast<double>(vessel.setup_bytes)), vessel.setup_bytes_per_site());
  fmt::print("\n  balance {:.3f} (largest share over average), edge cut {} links\n", s.balance, s.edge_cut);
  if (vessel.capped_holes > 0)
    fmt::print("  {} open end{} of the surface capped at the openings\n", vessel.capped_holes,
               vessel.capped_holes == 1 ? "" : "s");
  if (c.lattice.velocities_are_chosen && c.lattice.velocities != lattice::VelocitySet::d3q19)
    fmt::print("  lattice: {}\n", flow::lattice_words(c));
  for (const auto& extension : vessel.extensions)
    fmt::print("  opening {}: extended by {}, {} sites\n", c.openings[extension.opening].disc.name,
               program::with_prefix(extension.shape.length, "m"), extension.sites);
  if (s.dropped_sites > 0) fmt::print("  {} sites that no opening reaches were left out\n", s.dropped_sites);
}

/// What the run and its check both know before the vessel is cut into sites, and what both think of it.
struct Judged {
  flow::Scaling scaling;
  flow::Known known;
  std::vector<flow::Finding> findings;
  bool is_refused() const {
    return std::ranges::any_of(findings, [](const auto& f) { return f.refused; });
  }
};

Judged judge(Transport& world, flow::Case& c, flow::VesselShape& shape) {
  Judged judged;
  const auto look = [&] {
    together(world, [&] { judged.scaling = flow::make_scaling(c); });
    judged.known.volume = shape.volume;
    judged.findings = flow::find_problems(c, judged.scaling, judged.known);
  };
  judged.known = {.volume = shape.volume,
                  .longest = shape.longest(),
                  .memory = static_cast<double>(program::machines_memory(world)),
                  .ranks = world.size()};
  look();
  if (flow::find_too_large(c, judged.scaling, judged.known).empty()) {  // else lumens can't be found at once, either
    flow::find_openings(world, c, shape);
    look();
  }
  if (judged.findings.empty()) return judged;
  const double mlups = flow::measure_speed_coarsely(world, c, shape);  // so that advice says what it takes
  if (mlups > 0) judged.known.update_seconds = 1e-6 / mlups;
  look();
  return judged;
}

flow::RunOptions run_options(const FlowOptions& o, const flow::Case& c) {
  return {.coalesce = o.coalesce == "on",
          .progress = progress_kind(o.progress),
          .grouping = grouping_of(o.grouping),
          .settings = o.settings(c.output.directory),
          .steering = {.live = o.view.has_value(), .replay = o.replay},
          .onlooker = {.live = o.view.has_value()}};
}

/// What would be refused is told without the vessel's being cut into sites, which may be what can't be done.
int check(mpi::Communicator& world, const FlowOptions& o, flow::Case& c, flow::VesselShape shape, Judged judged,
          double load) {
  flow::CheckNumbers numbers;
  numbers.ranks = world.size(), numbers.known = judged.known, numbers.load = load;
  if (!judged.is_refused()) {
    const auto vessel = flow::make_vessel(world, c, std::move(shape));
    numbers.lumens = vessel.lumens;
    for (const auto& e : vessel.extensions) numbers.extensions.push_back({e.opening, e.shape.length, e.sites});
    judged.scaling = vessel.scaling;
    judged.findings = flow::find_problems(c, judged.scaling, judged.known);  // a .gmy file's lumens are known only now
    if (world.rank() == 0) say_setup(c, vessel, world.size());
    const auto counts = flow::count_extracts(world, c, vessel);
    const auto& s = vessel.setup;
    numbers.sites = s.sites, numbers.opening_sites = s.opening_sites, numbers.balance = s.balance;
    numbers.extract_sites = counts.sites, numbers.section_areas = counts.areas;
    numbers.bytes_per_site = flow::estimated_bytes_per_site(c);
    if (o.measure) {
      const auto m = flow::measure_run(world, c, vessel, run_options(o, c));
      numbers.step = m.step;
      numbers.other_seconds = vessel.setup_seconds + m.files_seconds;
      numbers.peak_bytes = m.peak_bytes;
      numbers.is_measured = true;
    } else {
      numbers.step = flow::measure_steps(world, c, vessel);
    }
    numbers.known.update_seconds = numbers.step.usual / static_cast<double>(s.sites);
    numbers.known.other_seconds = numbers.other_seconds;
  }
  on_root(world, [&] {
    if (!o.json.empty()) flow::write_check_json(o.json, c, judged.scaling, numbers);
  });
  if (world.rank() == 0) {
    fmt::print("{}", flow::check_report(c, judged.scaling, numbers));
    std::fflush(stdout);
  }
  flow::refuse(c, judged.findings);
  flow::refuse(c, flow::find_lumen_problems(c, numbers.lumens));
  return 0;
}

view::ServerOptions server_options(const FlowOptions& o) {
  return {.address = o.view_address,
          .port = static_cast<std::uint16_t>(o.view->empty() ? 0 : std::stoi(*o.view)),
          .open = o.view_open};
}

std::shared_ptr<view::Server> open_server(const FlowOptions& o) {
  auto server =
      std::make_shared<view::Server>(server_options(o), [](auto) { return std::string("nothing is shown yet."); });
  if (!o.set_up.empty()) server->front("/set-up.html");
  fmt::print("view: {}\n", server->url());
  std::fflush(stdout);
  return server;
}

void say_result(const flow::RunResult& result) {
  if (result.converged)
    fmt::print("converged after {} steps (relative change {:.2g} a step)\n", result.steps, result.last.relative_change);
  if (!result.outlets.text.empty()) fmt::print("{}", result.outlets.text);
  if (result.stopped) fmt::print("stopped after {} steps, as it was told\n", result.steps);
  if (result.steps == result.from_step)
    fmt::print(
        "nothing was left to do: the checkpoint is of step {}, where the case ends. ask for more steps to go on.\n\n",
        result.steps);
  else
    fmt::print("{} steps of {} sites in {:.1f} s: {:.1f} million site updates per second\n\n", result.made(),
               result.sites, result.seconds, result.mlups());
  if (!result.tuned.empty()) fmt::print("tune: {}\n", result.tuned);
  fmt::print("{}\n", result.overlap.text());
}

// `server`: on rank 0, where there is one already.
int run_case(mpi::Communicator& world, const FlowOptions& o, std::shared_ptr<view::Server> server) {
  auto c = read(world, o);
  auto options = run_options(o, c);  // what is no option's value is refused before anything is read
  const auto frame = make_frame(world, c, options);
  frame->check_files();
  const double load = flow::load_of_a_core(world);  // before this program is most of it
  auto shape = flow::read_shape(world, c);
  const auto judged = judge(world, c, shape);
  if (o.check) return check(world, o, c, std::move(shape), judged, load);
  // Warnings are said before the run, so that nobody waits for a result that is not valid.
  flow::refuse(c, judged.findings);
  frame->lock();
  const bool speaks = world.rank() == 0;
  if (speaks)
    for (const auto& finding : judged.findings) fmt::print(stderr, "warning: {}\n", finding.text);
  const auto vessel = flow::make_vessel(world, c, std::move(shape));
  if (c.surface.is_gmy())
    flow::refuse(c, flow::find_problems(c, vessel.scaling, judged.known));  // whose lumens are known only now
  flow::refuse(c, flow::find_lumen_problems(c, vessel.lumens));
  if (speaks) say_setup(c, vessel, world.size());
  if (speaks) std::fflush(stdout);
  flow::SummaryFacts facts{.program = "weft " WEFT_VERSION, .mpi = world.library()};
  for (const auto& finding : judged.findings) facts.warnings.push_back(finding.text);
  on_root(world, [&] {
    for (const auto& problem : flow::find_lumen_problems(c, vessel.lumens)) {
      fmt::print(stderr, "warning: {}\n", problem.text);
      facts.warnings.push_back(problem.text);
    }
  });
  std::unique_ptr<flow::Viewer> viewer;  // on rank 0, if anybody is to look on
  on_root(world, [&] {
    if (!o.view) return;
    if (!server) server = open_server(o);
    viewer = std::make_unique<flow::Viewer>(std::move(server), c, vessel, world.size());
    viewer->join(options);
  });
  const auto leave_reports = [&](flow::RunResult& result) {
    on_root(world, [&] {
      if (c.output.summary && result.steps > result.from_step) {  // else the page of the run before stays
        result.files.push_back(c.output.directory / "summary.html");
        flow::write_summary(result.files.back(), c, vessel, result, facts);
      }
    });
    frame->leave_result(result.files,
                        [&](const auto& file) { flow::write_result_json(file, c, vessel, result, world); });
  };
  flow::RunResult result;
  try {
    result = flow::run(world, *frame, c, vessel, options);
  } catch (const flow::UnstableRun& end) {
    try {
      leave_reports(end.result());
    } catch (const InputError& e) {
      throw Error(fmt::format("{} what the run leaves is not whole: {}", end.what(), e.what()), e.everywhere());
    }
    throw;
  }
  if (viewer) viewer->end();
  leave_reports(result);
  if (speaks) say_result(result);
  frame->close(std::move(result.files));
  return 0;
}

// A person makes a case in a browser, then it runs. What can't be run is told there, and he goes on.
int run_set_up(mpi::Communicator& world, FlowOptions o) {
  std::shared_ptr<view::Server> server;
  std::unique_ptr<flow::SetUp> set_up;
  on_root(world, [&] {
    if (!std::filesystem::is_regular_file(o.set_up))
      throw InputError(o.set_up.string() + ": there is no such file. give the vessel's surface (STL, VTP, PLY, OBJ).");
    server = open_server(o);
  });
  program::await_root(world, [&] {
    set_up = std::make_unique<flow::SetUp>(
        *server,
        flow::SetUpOptions{.surface = o.set_up, .folder = std::filesystem::current_path(), .ranks = world.size()});
  });
  for (;;) {
    std::string file;
    program::await_root(world, [&] { file = set_up->wait().string(); });
    o.file = broadcast(world, file);
    if (o.file.empty()) return 0;
    mpi::Communicator run(
        world.handle());  // of its own: what a run that fails leaves on its way is not taken for another's
    try {
      return run_case(run, o, server);
    } catch (const Error& error) {
      if (!error.everywhere()) throw;
      if (set_up) fmt::print(stderr, "not run: {}\n", error.what());
      if (set_up) set_up->tell(error.what());
    }
  }
}

int run_flow(mpi::Communicator& world, const FlowOptions& o) {
  return o.set_up.empty() ? run_case(world, o, {}) : run_set_up(world, o);
}

}  // namespace

void add_flow(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<FlowOptions>();
  auto& o = *options;
  auto* command = weft.add_subcommand("flow", command_line::about("flow"));
  auto* file = o.add_case(*command, "tell what would be run, and whether it would be valid; run nothing",
                          "fluid.viscosity=0.004");
  file->description("the case file (TOML); required, but with --set-up");
  auto* check = command->get_option("--check");
  command->add_flag("--measure", o.measure, "with --check: run some steps as the run would, for its time and memory")
      ->needs(check);
  auto* set_up = command
                     ->add_option("--set-up", o.set_up,
                                  "make a case of this surface (STL, VTP, PLY, OBJ) in a web browser, and run it")
                     ->type_name("SURFACE")
                     ->excludes(file)
                     ->excludes(check);
  o.add_json(*command);
  o.add_trace(*command);
  command->add_option("--replay", o.replay,
                      "change openings and viscosity in the steps that this file says, e.g. a run's steering.jsonl");
  o.add_messages(*command, false);
  o.add_coalesce(*command);
  o.tune.add_to(*command, {"--progress", "--coalesce", "--grouping"});
  command
      ->add_option_function<std::vector<std::string>>(
          "--view",
          [options](const std::vector<std::string>& given) { options->view = given.empty() ? "" : given.front(); },
          "show the run to a web browser on this machine, which can also steer it; on this port, or any that is free")
      ->expected(0, 1)
      ->check(CLI::Range(0, 65535))
      ->type_name("[PORT]");
  command->add_option("--view-address", o.view_address, "the address that --view listens on")
      ->capture_default_str()
      ->needs("--view");
  command
      ->add_flag("--view-open", o.view_open,
                 "ask for no token: other users of this machine can watch and steer, too; not at another address")
      ->needs("--view");
  command->callback([&action, options, file, set_up] {
    if (file->empty() && set_up->empty()) throw CLI::RequiredError("CASE");
    if (!set_up->empty() && !options->view) options->view = "";
    action = [options](mpi::Communicator& world) { return run_flow(world, *options); };
  });
}

}  // namespace weft::flow
