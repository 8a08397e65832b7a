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
#include "phantom/named_vessels.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

namespace {

struct RobustnessCommand : bench::RobustnessOptions {
  std::filesystem::path write;
  std::string vessel = "aorta";
};

void write_one(mpi::Communicator& world, const RobustnessCommand& o) {
  on_root(world, [&] {
    const auto vessel = phantom::make_vessel_named(o.vessel, o.seed);
    bench::VesselCaseOptions how;
    if (o.beats > 0) how.beats = o.beats;
    if (o.coarsen > 0) how.coarsen = o.coarsen;
    const auto file = bench::write_vessel(vessel, o.write, how);
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
      parent.add_subcommand("robustness", "vessels that weft makes itself: how many run, and what they lose");
  add_form(*command, o);
  auto* vessels = command->add_option("--vessels", o.vessels, "how many random ones; default: 100, quick 5")
                      ->check(CLI::Range(1, 100000));
  command->add_option("--seed", o.seed, "of the first, or of the one that is written")->capture_default_str();
  command->add_option("--beats", o.beats, "that each is run for; default: 2, quick 0.45, written 4")
      ->check(CLI::Range(0.01, 1000.0));
  command->add_option("--coarsen", o.coarsen, "factor of the voxels; default: 1, quick 2")
      ->check(CLI::Range(0.1, 10.0));
  auto* updates =
      command
          ->add_option("--updates", o.updates,
                       "of sites that one vessel may take, else its voxel grows; default: 2e10, quick 1.2e8")
          ->check(CLI::Range(1e5, 1e15));
  auto* out = command->add_option("--out", o.out, "keep the vessels and what they write in this folder");
  auto* write =
      command->add_option("--write", o.write, "run nothing: write a vessel's surface, inflow and case into this folder")
          ->excludes(vessels)
          ->excludes(out)
          ->excludes(updates);
  command->add_option("--vessel", o.vessel, "which: aorta, carotid, six, random")
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
