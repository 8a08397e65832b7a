// SPDX-License-Identifier: BSD-3-Clause
#include "wave/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command_line/run_options.hpp"
#include "program/folder_lock.hpp"
#include "program/pictures.hpp"
#include "program/readable.hpp"
#include "wave/run.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::wave {
namespace {

void say_result(const wave::Case& c, const wave::RunResult& result) {
  fmt::print("{} steps, {} cell updates in {:.1f} s: {:.1f} million a second; {} new meshes\n", result.steps,
             program::grouped(result.cell_updates), result.seconds, 1e-6 * result.updates_per_second(), result.regrids);
  fmt::print("energy {:.6g} -> {:.6g}, largest |u| {:.4g}", result.first.energy, result.last.energy,
             result.last.largest);
  if (c.error) fmt::print(", error {:.3e}", result.last.error);
  fmt::print("\n{}", result.mesh);
  if (!result.tuned.empty()) fmt::print("tune: {}\n", result.tuned);
}

int run_wave(mpi::Communicator& world, const command_line::RunOptions& o) {
  wave::Case c;
  together(world, [&] {
    c = wave::read_case(o.file, o.overrides());
    if (!o.out.empty()) c.output.directory = o.out;
    if (!o.progress.empty()) c.communication.progress = progress_kind(o.progress);
    if (o.shared_memory) c.communication.shared_memory = true;
    if (!o.grouping.empty()) c.communication.grouping = grouping_of(o.grouping);
  });
  const wave::RunOptions options{.exchange = {.messages = {.grouping = c.communication.grouping,
                                                           .watchdog_seconds = 60,
                                                           .shared_memory = c.communication.shared_memory,
                                                           .held = c.communication.held}},
                                 .progress = {.kind = c.communication.progress},
                                 .tune = o.tune.wanted(),
                                 .restart = o.restart};
  on_root(world, [&] {  // not after a long run
    if (o.json.empty()) return;
    check_apart(o.json, o.file);
    WholeFile::check_given(o.json, c.output.directory);
  });
  const bool speaks = world.rank() == 0;
  const auto report = wave::check_report(world, c);
  if (speaks) {
    for (const auto& problem : wave::find_problems(c)) fmt::print(stderr, "warning: {}\n", problem);
    fmt::print("{}\n", report);
    std::fflush(stdout);
  }
  if (o.check) return 0;
  const program::FolderLock lock(world, c.output.directory);
  auto result = wave::run(world, c, options);
  on_root(world, [&] {
    if (o.json.empty()) return;
    wave::write_result_json(o.json, c, result, world);
    result.files.emplace_back(o.json);
  });
  if (speaks) say_result(c, result);
  program::tell_written(world, std::move(result.files), c.output.pictures, c.output.directory, c.title);
  return 0;
}

}  // namespace

void add_wave(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<command_line::RunOptions>();
  auto* command = weft.add_subcommand("wave", command_line::about("wave"));
  options->add_case(*command, "tell what would be run and the first mesh; run nothing", "wave.cfl=0.3")->required();
  options->add_json(*command);
  options->add_messages(*command, true);
  options->add_shared_memory(*command);
  options->tune.add_to(*command, {"--progress", "--grouping", "--shared-memory"});
  command->callback(
      [&action, options] { action = [options](mpi::Communicator& world) { return run_wave(world, *options); }; });
}

}  // namespace weft::wave
