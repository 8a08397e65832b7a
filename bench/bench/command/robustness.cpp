// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/robustness/robustness.hpp"
#include "bench/robustness/vessel_case.hpp"
#include "command_line/number_check.hpp"
#include "phantom/made_vessel.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

namespace {

struct RobustnessCommand : bench::RobustnessOptions {
  std::filesystem::path write;
  std::string vessel = "aorta";
  double beats = 4, coarsen = 1;  // of the case that is written
};

void write_one(mpi::Communicator& world, const RobustnessCommand& o) {
  on_root(world, [&] {
    const auto vessel = phantom::make_vessel_named(o.vessel, o.seed > 0 ? o.seed : 1);
    const auto file = bench::write_vessel(vessel, o.write, {.beats = o.beats, .coarsen = o.coarsen});
    fmt::print("{}: {} triangles, {} openings, Reynolds number {:.4g} on average, {:.4g} at most\n  {}\n", vessel.name,
               vessel.surface.triangles.size(), vessel.openings.size(), vessel.mean_reynolds, vessel.highest_reynolds,
               file.string());
  });
}

}  // namespace

void add_bench_robustness(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<RobustnessCommand>();
  auto& o = *options;
  auto* command =
      parent.add_subcommand("robustness",
                            "Measures for how many synthetic vessels the case that weft openings proposes runs to "
                            "its end.");
  add_form(*command, o, "--vessels 20 --modes steady_murray");
  auto* vessels = command->add_option("--vessels", o.vessels, "number of random vessels; default: 100, quick 1")
                      ->check(CLI::Range(1, 100000));
  command->add_option("--seed", o.seed,
                      "seed of the first vessel, or of the one that --write writes; default: 1, quick 19");
  auto* modes = command
                    ->add_option("--modes", o.modes,
                                 "conditions at the openings: steady_ or pulse_, followed by murray, pressure, "
                                 "windkessel, flows or pressures; default: all ten")
                    ->delimiter(',');
  auto* every =
      command->add_flag("--every-mode", o.every_mode,
                        "run each vessel in every mode (with --quick: always); default: in one of them, in turn");
  auto* set = command->add_option("--set", o.changes, "KEY=VALUE: sets a key in every case, as weft flow --set")
                  ->allow_extra_args(false);
  auto* updates =
      command
          ->add_option(
              "--updates", o.updates,
              "largest number of site updates of a trial, above which its voxel is enlarged; default: 2e9, quick 1e8")
          ->check(CLI::Range(1e5, 1e15));
  auto* out = command->add_option("--out", o.out, "keep the vessels, their cases and results in this folder");
  auto* write =
      command
          ->add_option("--write", o.write, "run no trial; write a vessel's surface, inflow and case into this folder")
          ->excludes(vessels)
          ->excludes(out)
          ->excludes(modes)
          ->excludes(every)
          ->excludes(set)
          ->excludes(updates);
  command->add_option("--beats", o.beats, "beats of the case that --write writes")
      ->check(command_line::in_range(0.01, 1000.0))
      ->capture_default_str()
      ->needs(write);
  command->add_option("--coarsen", o.coarsen, "factor of the voxel size of the case that --write writes")
      ->check(command_line::in_range(0.1, 10.0))
      ->capture_default_str()
      ->needs(write);
  command->add_option("--vessel", o.vessel, "vessel that --write writes: aorta, carotid, six, random")
      ->check(CLI::IsMember({"aorta", "carotid", "six", "random"}))
      ->capture_default_str()
      ->needs(write);
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      if (options->write.empty())
        bench::robustness(world, *options);
      else
        write_one(world, *options);
      return 0;
    };
  });
}

}  // namespace weft::bench
