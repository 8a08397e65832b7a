// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "bench/vessels/made_vessel.hpp"
#include "bench/vessels/vessel_case.hpp"
#include "cli/command.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::cli {

namespace {

struct RobustnessOptions {
  std::filesystem::path write;
  std::string vessel = "aorta";
  std::uint64_t seed = 1;
  bench::VesselCaseOptions case_options;
};

void write_one(mpi::Communicator& world, const RobustnessOptions& o) {
  on_root(world, [&] {
    const auto vessel = bench::make_vessel_named(o.vessel, o.seed);
    const auto file = bench::write_vessel(vessel, o.write, o.case_options);
    fmt::print("{}: {} triangles, {} openings, Reynolds number {:.4g} on average, {:.4g} at most\n  {}\n", vessel.name,
               vessel.surface.triangles.size(), vessel.openings.size(), vessel.mean_reynolds, vessel.highest_reynolds,
               file.string());
  });
}

}  // namespace

void add_bench_robustness(CLI::App& parent, Action& action) {
  auto options = std::make_shared<RobustnessOptions>();
  auto& o = *options;
  auto* command = parent.add_subcommand("robustness", "vessels that weft makes itself: how many run, and what they lose");
  auto* write = command->add_option("--write", o.write, "only write a vessel's surface, inflow and case into this folder")->required();
  command->add_option("--vessel", o.vessel, "which: aorta, carotid, six, random")
      ->check(CLI::IsMember({"aorta", "carotid", "six", "random"}))->capture_default_str()->needs(write);
  command->add_option("--seed", o.seed, "of a random one")->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      write_one(world, *options);
      return 0;
    };
  });
}

}  // namespace weft::cli
