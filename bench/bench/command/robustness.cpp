// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/shared/report.hpp"
#include "command_line/number_check.hpp"
#include "phantom/made_vessel.hpp"
#include "robustness/study.hpp"
#include "robustness/vessel_case.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

namespace {

struct RobustnessCommand : Options {
  int vessels = 0;         // 0: 100; 1 if quick
  std::uint64_t seed = 0;  // 0: 1; quick 19, a small vessel with three outlets
  double updates = 0;      // 0: 2e9; quick 1e8
  bool every_mode = false;
  std::vector<std::string> modes, changes;
  std::filesystem::path out;
  std::filesystem::path write;
  std::string vessel = "aorta";
  double beats = 4, coarsen = 1;  // of the case that is written
};

void write_one(mpi::Communicator& world, const RobustnessCommand& o) {
  on_root(world, [&] {
    const auto vessel = phantom::make_vessel_named(o.vessel, o.seed > 0 ? o.seed : 1);
    const auto file = robustness::write_vessel(vessel, o.write, {.beats = o.beats, .coarsen = o.coarsen});
    fmt::print("{}: {} triangles, {} openings, Reynolds number {:.4g} on average, {:.4g} at most\n  {}\n", vessel.name,
               vessel.surface.triangles.size(), vessel.openings.size(), vessel.mean_reynolds, vessel.highest_reynolds,
               file.string());
  });
}

void report_study(mpi::Communicator& world, const RobustnessCommand& o) {
  robustness::StudyOptions study{.vessels = o.quick ? 1 : 100,
                                 .seed = o.quick ? 19U : 1U,
                                 .modes = o.modes,
                                 .every_mode = o.every_mode || o.quick,
                                 .changes = o.changes,
                                 .updates = o.quick ? 1e8 : 2e9,
                                 .out = o.out};
  if (o.vessels > 0) study.vessels = o.vessels;
  if (o.seed > 0) study.seed = o.seed;
  if (o.updates > 0) study.updates = o.updates;
  Report report("robustness", world, o);
  report.setting("vessels", study.vessels);
  report.setting("seed", study.seed);
  report.setting("every_mode", study.every_mode);
  report.setting("updates", study.updates);
  for (const auto& change : study.changes) report.setting("set", change);
  const auto result = robustness::run_study(world, study);
  for (const auto& note : result.notes) report.note(note);
  report.result("mass error", spread_of(result.mass), "", {.samples = result.mass});
  report.result("delivered flow error", spread_of(result.flow), "", {.samples = result.flow});
  report.result("delivered pressure error", spread_of(result.pressure), "", {.samples = result.pressure});
  for (const auto& [name, value] : result.figures) report.figure(name, value);
  report.finish(world);
}

}  // namespace

void add_bench_robustness(CLI::App& parent, command_line::Action& action) {
  Form<RobustnessCommand> form(parent, action, "robustness",
                               "Measures for how many synthetic vessels the case that weft openings proposes runs to "
                               "its end.",
                               "--vessels 20 --modes steady_murray");
  auto& o = form.options;
  auto* vessels =
      form.add("--vessels", o.vessels, "number of random vessels; default: 100, quick 1", CLI::Range(1, 100000));
  form.add("--seed", o.seed, "seed of the first vessel, or of the one that --write writes; default: 1, quick 19");
  auto* modes = form.add("--modes", o.modes,
                         "conditions at the openings: steady_ or pulse_, followed by murray, pressure, windkessel, "
                         "flows or pressures; default: all ten");
  auto* every =
      form.command->add_flag("--every-mode", o.every_mode,
                             "run each vessel in every mode (with --quick: always); default: in one of them, in turn");
  auto* set = form.command->add_option("--set", o.changes, "KEY=VALUE: sets a key in every case, as weft flow --set")
                  ->allow_extra_args(false);
  auto* updates =
      form.add("--updates", o.updates,
               "largest number of site updates of a trial, above which its voxel is enlarged; default: 2e9, quick 1e8",
               CLI::Range(1e5, 1e15));
  auto* out = form.command->add_option("--out", o.out, "keep the vessels, their cases and results in this folder");
  auto* write = form.command->add_option("--write", o.write,
                                         "run no trial; write a vessel's surface, inflow and case into this folder");
  for (auto* other : {vessels, out, modes, every, set, updates}) write->excludes(other);
  form.add("--beats", o.beats, "beats of the case that --write writes", command_line::in_range(0.01, 1000.0))
      ->needs(write);
  form.add("--coarsen", o.coarsen, "factor of the voxel size of the case that --write writes",
           command_line::in_range(0.1, 10.0))
      ->needs(write);
  form.add("--vessel", o.vessel, "vessel that --write writes: aorta, carotid, six, random",
           CLI::IsMember({"aorta", "carotid", "six", "random"}))
      ->needs(write);
  form.runs([](mpi::Communicator& world, const RobustnessCommand& given) {
    given.write.empty() ? report_study(world, given) : write_one(world, given);
  });
}

}  // namespace weft::bench
