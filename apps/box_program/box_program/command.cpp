// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "box_program/run.hpp"
#include "command_line/tune_option.hpp"
#include "program/pictures.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::box_program {
namespace {

struct BoxOptions {
  std::filesystem::path file;
  bool check = false, trace = false, shared_memory = false;
  std::string out, json, scheme, payload, progress = "polling", coalesce = "on", grouping = "per_peer",
                                          carrier = "messages";
  std::int64_t steps = -1;
  std::vector<std::string> set;
  command_line::TuneOption tune;
};

box_program::Case read(Transport& world, const BoxOptions& o) {
  box_program::Case c;
  together(world, [&] {
    auto overrides = o.set;
    if (o.steps >= 0) overrides.push_back("run.steps=" + std::to_string(o.steps));
    if (!o.scheme.empty()) overrides.push_back("halo.scheme=\"" + o.scheme + "\"");
    if (!o.payload.empty()) overrides.push_back("halo.payload=\"" + o.payload + "\"");
    c = box_program::read_case(o.file, overrides);
    if (!o.out.empty()) c.output.directory = o.out;
  });
  return c;
}

Carrier carrier_of(const Transport& world, const std::string& name) {
  std::string allowed;
  for (const auto carrier : carriers_of(world)) {
    if (name == name_of(carrier)) return carrier;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name_of(carrier));
  }
  throw InputError("no carrier of this MPI library is called '" + name + "' (allowed: " + allowed + ").", true);
}

StepOptions step_options(Transport& world, const BoxOptions& o) {
  return {.coalesce = o.coalesce == "on",
          .grouping = grouping_of(o.grouping),
          .watchdog_seconds = 60,
          .carrier = carrier_of(world, o.carrier),
          .shared_memory = o.shared_memory,
          .progress = {.kind = progress_kind(o.progress)}};
}

int run_box(mpi::Communicator& world, const BoxOptions& o) {
  const auto c = read(world, o);
  const box_program::RunOptions options{.step = step_options(world, o), .trace = o.trace, .tune = o.tune.wanted()};
  on_root(world, [&] {  // not after a long run
    if (!o.json.empty()) WholeFile::check_given(o.json, c.output.directory);
  });
  const bool speaks = world.rank() == 0;
  const auto report = box_program::check_report(world, c);
  if (speaks) {
    for (const auto& problem : box_program::find_problems(c)) fmt::print(stderr, "warning: {}\n", problem);
    fmt::print("{}\n", report);
    std::fflush(stdout);
  }
  if (o.check) return 0;
  auto result = box_program::run(world, c, options);
  on_root(world, [&] {
    if (o.json.empty()) return;
    box_program::write_result_json(o.json, c, result, world);
    result.files.emplace_back(o.json);
  });
  if (!speaks) return 0;
  if (result.steady)
    fmt::print("steady after {} steps (relative change {:.2g} a step)\n", result.steps, result.last.relative_change);
  fmt::print("{} steps of {} sites in {:.1f} s: {:.1f} million site updates per second\n", result.steps, result.sites,
             result.seconds, result.mlups());
  fmt::print("density {:.6f} to {:.6f}, largest speed {:.6g}\n\n", result.last.lowest_density,
             result.last.highest_density, result.last.highest_speed);
  if (!result.tuned.empty()) fmt::print("tune: {}\n", result.tuned);
  fmt::print("{}\n", result.overlap.text());
  std::fflush(stdout);
  if (c.output.pictures)
    for (auto& picture : program::make_pictures(c.output.directory, c.title))
      result.files.push_back(std::move(picture));
  fmt::print("written:\n");
  for (const auto& file : result.files) fmt::print("  {}\n", file.string());
  return 0;
}

}  // namespace

void add_box(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<BoxOptions>();
  auto& o = *options;
  auto* command = weft.add_subcommand("box", command_line::about("box"));
  command->add_option("CASE", o.file, "the case file (TOML)")->required();
  command->add_flag("--check", o.check, "tell what would be run and what its halo moves; run nothing");
  command->add_option("--steps", o.steps, "run so many steps instead of the case's")->check(CLI::PositiveNumber);
  command->add_option("--out", o.out, "write to this directory");
  command->add_option("--json", o.json, "write the result and what was hidden to this file");
  command->add_flag("--trace", o.trace, "write a trace of every rank for Perfetto (large: keep the run short)");
  command->add_option("--set", o.set, "key=value, replaces a value of the case, e.g. --set lattice.tau=0.6")
      ->allow_extra_args(false);
  command->add_option("--scheme", o.scheme, "halo: all neighbours at once, or an axis after the other")
      ->check(CLI::IsMember({"direct", "by_dimension"}));
  command->add_option("--payload", o.payload, "halo: what travels of a site")
      ->check(CLI::IsMember({"whole", "directions", "reduced"}));
  command->add_option("--progress", o.progress, "who drives messages: passive, polling, thread, send_receive_threads")
      ->capture_default_str();
  command->add_option("--carrier", o.carrier, "what messages travel as")->capture_default_str();
  command->add_flag("--shared-memory", o.shared_memory, "ranks of one node pass messages in memory that they share");
  command->add_option("--coalesce", o.coalesce, "one exchange for all clients, or one each")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command->add_option("--grouping", o.grouping, "which parts share a message")
      ->check(CLI::IsMember({"per_peer", "per_part", "by_size"}))
      ->capture_default_str();
  o.tune.add_to(*command, {"--scheme", "--progress", "--shared-memory", "--coalesce", "--grouping"});
  command->callback(
      [&action, options] { action = [options](mpi::Communicator& world) { return run_box(world, *options); }; });
}

}  // namespace weft::box_program
