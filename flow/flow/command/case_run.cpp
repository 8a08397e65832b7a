// SPDX-License-Identifier: BSD-3-Clause
#include "flow/command/case_run.hpp"

#include <fmt/format.h>
#include <weft_version.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "flow/command/viewer.hpp"
#include "flow/extracts/extracts.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/run/simulation.hpp"
#include "flow/run/speed.hpp"
#include "flow/scaling/lattice_choice.hpp"
#include "flow/set_up/check.hpp"
#include "flow/set_up/findings.hpp"
#include "program/memory.hpp"
#include "program/readable.hpp"
#include "program/same_file.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

void say_setup(const Case& c, const Vessel& vessel, int ranks) {
  const auto& s = vessel.setup;
  fmt::print("{}: {} sites in {} blocks, voxelised in {:.1f} s, decomposed for {} rank{} in {:.1f} s\n", c.title,
             s.sites, s.blocks, s.voxelise_seconds, ranks, ranks == 1 ? "" : "s", s.decompose_seconds);
  fmt::print("  set-up: {:.1f} s", vessel.setup_seconds);
  if (vessel.setup_bytes > 0)
    fmt::print(", at most {} of memory over all ranks ({:.0f} bytes per site)",
               program::bytes_text(static_cast<double>(vessel.setup_bytes)), vessel.setup_bytes_per_site());
  fmt::print("\n  balance {:.3f} (largest share over average), edge cut {} links\n", s.balance, s.edge_cut);
  for (const auto& repair : vessel.repairs) fmt::print("  surface repaired: {}\n", repair);
  if (vessel.capped_holes > 0)
    fmt::print("  {} open end{} of the surface capped at the openings\n", vessel.capped_holes,
               vessel.capped_holes == 1 ? "" : "s");
  if (c.lattice.velocities_are_chosen && c.lattice.velocities != lattice::VelocitySet::d3q19)
    fmt::print("  lattice: {}\n", lattice_words(c));
  for (const auto& extension : vessel.extensions)
    fmt::print("  opening {}: extended by {}, {} sites\n", c.openings[extension.opening].disc.name,
               program::with_prefix(extension.shape.length, "m"), extension.sites);
  if (s.dropped_sites > 0) fmt::print("  {} sites that no opening reaches were left out\n", s.dropped_sites);
}

// `measures_later`: unless the case is refused.
Judged judge(Transport& world, Case& c, VesselShape& shape, bool measures_later) {
  Judged judged;
  const auto check = [&] {
    together(world, [&] { judged.scaling = make_scaling(c); });
    judged.known.volume = shape.volume;
    judged.findings = find_problems(c, judged.scaling, judged.known);
  };
  judged.known = {.volume = shape.volume,
                  .longest = shape.longest(),
                  .memory = static_cast<double>(program::machines_memory(world)),
                  .ranks = world.size()};
  check();
  if (find_too_large(c, judged.scaling, judged.known).empty()) {  // otherwise finding lumens would take too long, too
    find_openings(world, c, shape);
    check();
  }
  if (judged.findings.empty() || (measures_later && !judged.is_refused())) return judged;
  const double mlups = measure_speed_coarsely(world, c, shape);  // so that the advice includes run times
  if (mlups > 0) judged.known.update_seconds = 1e-6 / mlups;
  check();
  return judged;
}

flow::RunOptions run_options(const FlowOptions& o, const Case& c) {
  return {.coalesce = o.coalesce == "on",
          .progress = progress_kind(o.progress),
          .grouping = grouping_names.named(o.grouping),
          .settings = o.settings(c.output.directory),
          .steering = {.live = o.view.has_value(), .replay = o.replay},
          .onlooker = {.live = o.view.has_value()}};
}

void say_result(const RunResult& result) {
  if (result.converged)
    fmt::print("converged after {} steps (relative change {:.2g} per step)\n", result.steps,
               result.last.relative_change);
  if (!result.outlets.text.empty()) fmt::print("{}", result.outlets.text);
  if (result.stopped) fmt::print("stopped after {} steps, as requested\n", result.steps);
  if (result.steps == result.from_step)
    fmt::print(
        "Nothing was left to do: the checkpoint is of step {}, where the case ends. Request more steps to "
        "continue.\n\n",
        result.steps);
  else
    fmt::print("{} steps of {} sites in {:.1f} s: {:.1f} million site updates per second\n\n", result.made(),
               result.sites, result.seconds, result.mlups());
  if (!result.tuned.empty()) fmt::print("tune: {}\n", result.tuned);
  fmt::print("{}\n", result.overlap.text());
}

view::ServerOptions server_options(const FlowOptions& o) {
  return {.address = o.view_address,
          .port = static_cast<std::uint16_t>(o.view->empty() ? 0 : std::stoi(*o.view)),
          .open = o.view_open};
}

}  // namespace

bool Judged::is_refused() const {
  return std::ranges::any_of(findings, [](const auto& f) { return f.refused; });
}

Case read_case_of(Transport& world, const FlowOptions& o) {
  Case c;
  program::check_same_file(world, o.file);
  together(world, [&] {
    c = read_case(o.file, o.overrides());
    if (!o.out.empty()) c.output.directory = o.out;
  });
  return c;
}

PreparedRun prepare(Transport& world, const FlowOptions& o, Case c) {
  PreparedRun run{.c = std::move(c)};
  run.options = run_options(o, run.c);  // invalid option values are refused before any file is read
  run.frame = make_frame(world, run.c, run.options);
  run.frame->check_files();
  run.load = load_of_a_core(world);  // before this program itself is most of the load
  run.shape = read_shape(world, run.c);
  run.judged = judge(world, run.c, run.shape, o.check && o.convergence == 0);
  return run;
}

// A refused case is reported before the voxelisation, which might not fit into memory.
void check_run(Transport& world, mpi::Communicator* mpi, const FlowOptions& o, PreparedRun run) {
  auto& c = run.c;
  auto& judged = run.judged;
  CheckNumbers numbers;
  numbers.ranks = world.size(), numbers.known = judged.known, numbers.load = run.load;
  if (!judged.is_refused()) {
    const auto vessel = make_vessel(world, c, std::move(run.shape));
    numbers.lumens = vessel.lumens;
    for (const auto& e : vessel.extensions) numbers.extensions.push_back({e.opening, e.shape.length, e.sites});
    judged.scaling = vessel.scaling;
    judged.findings = find_problems(c, judged.scaling, judged.known);  // the lumens of a .gmy file are known only now
    if (world.rank() == 0) say_setup(c, vessel, world.size());
    const auto counts = count_extracts(world, c, vessel);
    const auto& s = vessel.setup;
    numbers.sites = s.sites, numbers.opening_sites = s.opening_sites, numbers.balance = s.balance;
    numbers.extract_sites = counts.sites, numbers.section_areas = counts.areas;
    numbers.bytes_per_site = estimated_bytes_per_site(c);
    if (o.measure) {
      const auto m = measure_run(*mpi, c, vessel, run.options);
      numbers.step = m.step;
      numbers.other_seconds = vessel.setup_seconds + m.files_seconds;
      numbers.peak_bytes = m.peak_bytes;
      numbers.is_measured = true;
    } else {
      constexpr double quick = 0.005, with_waits = 0.1;  // s; ranks that wait for each other vary more
      numbers.step = measure_steps(world, c, vessel, world.size() == 1 ? quick : with_waits);
    }
    numbers.known.update_seconds = numbers.step.usual / static_cast<double>(s.sites);
    numbers.known.other_seconds = numbers.other_seconds;
  }
  on_root(world, [&] {
    if (!o.json.empty()) write_check_json(o.json, c, judged.scaling, numbers);
  });
  if (world.rank() == 0) {
    fmt::print("{}", check_report(c, judged.scaling, numbers));
    std::fflush(stdout);
  }
  refuse(c, judged.findings);
  refuse(c, find_lumen_problems(c, numbers.lumens));
}

std::shared_ptr<view::Server> open_server(const FlowOptions& o) {
  auto server =
      std::make_shared<view::Server>(server_options(o), [](auto) { return std::string("Nothing is shown yet."); });
  if (!o.set_up.empty()) server->front("/set-up.html");
  fmt::print("view: {}\n", server->url());
  std::fflush(stdout);
  return server;
}

void carry_out(mpi::Communicator& world, const FlowOptions& o, PreparedRun run, std::shared_ptr<view::Server> server,
               const OnResult& on_result, const OnWarning& on_warning) {
  auto& c = run.c;
  auto& frame = *run.frame;
  const auto& judged = run.judged;
  // Warnings are printed before the run, so that the user need not wait for an invalid result.
  refuse(c, judged.findings);
  frame.lock();
  const bool speaks = world.rank() == 0 && !o.silent;
  const auto warn = [&](const std::string& text) {
    if (on_warning)
      on_warning(text);
    else
      fmt::print(stderr, "warning: {}\n", text);
  };
  if (world.rank() == 0)
    for (const auto& finding : judged.findings) warn(finding.text);
  const auto vessel = make_vessel(world, c, std::move(run.shape));
  if (c.surface.is_gmy()) refuse(c, find_problems(c, vessel.scaling, judged.known));  // its lumens are known only now
  refuse(c, find_lumen_problems(c, vessel.lumens));
  if (speaks) say_setup(c, vessel, world.size());
  if (speaks) std::fflush(stdout);
  SummaryFacts facts{.program = "weft " WEFT_VERSION, .mpi = world.library()};
  for (const auto& finding : judged.findings) facts.warnings.push_back(finding.text);
  on_root(world, [&] {
    for (const auto& problem : find_lumen_problems(c, vessel.lumens)) {
      warn(problem.text);
      facts.warnings.push_back(problem.text);
    }
  });
  std::unique_ptr<Viewer> viewer;  // on rank 0, with --view or --set-up
  on_root(world, [&] {
    if (!o.view) return;
    if (!server) server = open_server(o);
    viewer = std::make_unique<Viewer>(std::move(server), c, vessel, world.size());
    viewer->join(run.options);
  });
  const auto leave_reports = [&](RunResult& result) {
    on_root(world, [&] {
      if (c.output.summary && result.steps > result.from_step) {  // otherwise the page of the earlier run stays
        result.files.push_back(c.output.directory / "summary.html");
        write_summary(result.files.back(), c, vessel, result, facts);
      }
    });
    frame.leave_result(result.files, [&](const auto& file) { write_result_json(file, c, vessel, result, world); });
  };
  RunResult result;
  try {
    result = flow::run(world, frame, c, vessel, run.options);
  } catch (const UnstableRun& end) {
    try {
      leave_reports(end.result());
    } catch (const InputError& e) {
      throw Error(fmt::format("{} The output of the run is incomplete: {}", end.what(), e.what()), e.everywhere());
    }
    throw;
  }
  if (viewer) viewer->end();
  if (on_result) on_result(c, vessel, result, facts);
  leave_reports(result);
  if (speaks) say_result(result);
  if (!o.silent) frame.close(std::move(result.files));
}

}  // namespace weft::flow
