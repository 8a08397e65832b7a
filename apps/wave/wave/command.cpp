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

#include "command_line/tune_option.hpp"
#include "program/pictures.hpp"
#include "program/readable.hpp"
#include "wave/run.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::wave {
namespace {

struct WaveOptions {
  std::filesystem::path file;
  bool check = false, shared_memory = false;
  std::string out, progress, grouping;  // empty: as the case says
  std::int64_t steps = -1;
  std::vector<std::string> set;
  std::optional<std::string> restart;
  command_line::TuneOption tune;
};

int run_wave(mpi::Communicator& world, const WaveOptions& o) {
  wave::Case c;
  together(world, [&] {
    auto overrides = o.set;
    if (o.steps >= 0) overrides.push_back("run.steps=" + std::to_string(o.steps));
    c = wave::read_case(o.file, overrides);
    if (!o.out.empty()) c.output.directory = o.out;
    if (!o.progress.empty()) c.communication.progress = progress_kind(o.progress);
    if (o.shared_memory) c.communication.shared_memory = true;
    if (!o.grouping.empty()) c.communication.grouping = grouping_of(o.grouping);
  });
  const wave::RunOptions options{
      .exchange = {.grouping = c.communication.grouping,
                   .watchdog_seconds = 60,
                   .shared_memory = c.communication.shared_memory,
                   .held = c.communication.held},
      .progress = {.kind = c.communication.progress},
      .tune = o.tune.wanted(),
      .restart = o.restart ? std::optional<std::filesystem::path>(*o.restart) : std::nullopt};
  const bool speaks = world.rank() == 0;
  const auto report = wave::check_report(world, c);
  if (speaks) {
    for (const auto& problem : wave::find_problems(c)) fmt::print(stderr, "warning: {}\n", problem);
    fmt::print("{}\n", report);
    std::fflush(stdout);
  }
  if (o.check) return 0;
  auto result = wave::run(world, c, options);
  if (!speaks) return 0;
  fmt::print("{} steps, {} cell updates in {:.1f} s: {:.1f} million a second; {} new meshes\n", result.steps,
             program::grouped(result.cell_updates), result.seconds, 1e-6 * result.updates_per_second(), result.regrids);
  fmt::print("energy {:.6g} -> {:.6g}, largest |u| {:.4g}", result.first.energy, result.last.energy,
             result.last.largest);
  if (c.error) fmt::print(", error {:.3e}", result.last.error);
  fmt::print("\n{}", result.mesh);
  if (!result.tuned.empty()) fmt::print("tune: {}\n", result.tuned);
  std::fflush(stdout);
  if (c.output.pictures)
    for (auto& picture : program::make_pictures(c.output.directory, c.title))
      result.files.push_back(std::move(picture));
  fmt::print("written:\n");
  for (const auto& file : result.files) fmt::print("  {}\n", file.string());
  return 0;
}

}  // namespace

void add_wave(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<WaveOptions>();
  auto& o = *options;
  auto* command = weft.add_subcommand("wave", command_line::about("wave"));
  command->add_option("CASE", o.file, "the case file (TOML)")->required();
  command->add_flag("--check", o.check, "tell what would be run and the first mesh; run nothing");
  command->add_option("--steps", o.steps, "run so many steps instead of the case's")->check(CLI::PositiveNumber);
  command->add_option("--out", o.out, "write to this directory");
  command->add_option("--set", o.set, "key=value, replaces a value of the case, e.g. --set wave.cfl=0.3")
      ->allow_extra_args(false);
  command->add_option("--progress", o.progress,
                      "who drives messages, whatever the case says: passive, polling, thread, send_receive_threads");
  command->add_option("--grouping", o.grouping,
                      "which parts share a message, whatever the case says: per_peer, per_part, by_size");
  command->add_flag("--shared-memory", o.shared_memory, "ranks of one node pass messages in memory that they share");
  o.tune.add_to(*command, {"--progress", "--grouping", "--shared-memory"});
  command
      ->add_option_function<std::vector<std::string>>(
          "--restart",
          [options](const std::vector<std::string>& given) { options->restart = given.empty() ? "" : given.front(); },
          "go on from this checkpoint, or from the last good one in the output directory")
      ->expected(0, 1)
      ->type_name("[FILE]");
  command->callback(
      [&action, options] { action = [options](mpi::Communicator& world) { return run_wave(world, *options); }; });
}

}  // namespace weft::wave
