// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "command_line/run_options.hpp"
#include "program/readable.hpp"
#include "program/same_file.hpp"
#include "wave/run.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::wave {
namespace {

void say_result(const wave::Case& c, const wave::RunResult& result) {
  fmt::print("{} steps, {} cell updates in {:.1f} s: {:.1f} million per second; {} new meshes\n", result.made(),
             program::grouped(result.cell_updates), result.seconds, 1e-6 * result.updates_per_second(), result.regrids);
  fmt::print("energy {:.6g} -> {:.6g}, largest |u| {:.4g}", result.first.energy, result.last.energy,
             result.last.largest);
  if (c.error) fmt::print(", error {:.3e}", result.last.error);
  fmt::print("\n{}", result.mesh);
  if (!result.tuned.empty()) fmt::print("tune: {}\n", result.tuned);
  fmt::print("\n{}\n", result.overlap.text());
}

int run_wave(mpi::Communicator& world, const command_line::RunOptions& o) {
  wave::Case c;
  program::check_same_file(world, o.file);
  together(world, [&] {
    c = wave::read_case(o.file, o.overrides());
    if (!o.out.empty()) c.output.directory = o.out;
    if (!o.progress.empty()) c.communication.progress = progress_kind(o.progress);
    if (o.shared_memory) c.communication.shared_memory = true;
    if (!o.grouping.empty()) c.communication.grouping = grouping_names.named(o.grouping);
  });
  const wave::RunOptions options{.exchange = {.messages = {.grouping = c.communication.grouping,
                                                           .watchdog_seconds = 60,
                                                           .shared_memory = c.communication.shared_memory,
                                                           .defer_unpacking = c.communication.defer_unpacking}},
                                 .progress = {.kind = c.communication.progress},
                                 .settings = o.settings(c.output.directory)};
  const auto frame = make_frame(world, c, options);
  frame->check_files();
  if (!frame->announce(wave::check_report(world, c), wave::find_problems(c))) return 0;
  frame->lock();
  auto result = wave::run(world, *frame, c, options);
  frame->leave_result(result.files, [&](const auto& file) { wave::write_result_json(file, c, result, world); });
  if (world.rank() == 0) say_result(c, result);
  frame->close(std::move(result.files));
  return 0;
}

// The command line of `weft wave`.
void add_wave(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<command_line::RunOptions>();
  auto* command = weft.add_subcommand("wave", command_line::about("wave"));
  options->add_case(*command, "Checks the case and prints the first mesh; runs nothing", "wave.cfl=0.3")->required();
  options->add_json(*command);
  options->add_trace(*command);
  options->add_messages(*command, true);
  options->add_shared_memory(*command);
  options->tune.add_to(*command, {"--progress", "--grouping", "--shared-memory"});
  command_line::explain(*command,
                        {"weft wave --check examples/wave/pulse.toml",
                         "mpirun -n 2 weft wave examples/wave/standing.toml --set wave.cfl=0.3"},
                        "docs/wave.md");
  command->callback(
      [&action, options] { action = [options](mpi::Communicator& world) { return run_wave(world, *options); }; });
}

}  // namespace
}  // namespace weft::wave

int main(int argc, char** argv) { return weft::command_line::run_command(argc, argv, "wave", weft::wave::add_wave); }
