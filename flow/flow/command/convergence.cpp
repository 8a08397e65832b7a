// SPDX-License-Identifier: BSD-3-Clause
#include "flow/command/command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/run/speed.hpp"
#include "flow/scaling/resolution.hpp"
#include "flow/set_up/check.hpp"
#include "flow/summary/convergence_table.hpp"
#include "flow/summary/grids.hpp"
#include "program/readable.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

/// Refuses options that apply to a single run.
void refuse_options(const FlowOptions& o) {
  const auto refuse = [](const char* option, const char* why) {
    throw InputError(fmt::format("--convergence and {} exclude each other ({}). Remove one of them.", option, why),
                     true);
  };
  if (o.restart) refuse("--restart", "each voxel size is run from the beginning");
  if (!o.replay.empty()) refuse("--replay", "commands name steps, and each voxel size has other steps");
  if (o.view) refuse("--view", "a command to one run would not reach the others");
  if (o.measure) refuse("--measure", "it measures one run");
  if (!o.json.empty()) refuse("--json", "the result is convergence.json in the case's output folder");
}

/// Like refuse(), with the voxel size in the message.
void refuse_size(const Case& c, const std::vector<Finding>& findings) {
  for (const auto& finding : findings)
    if (finding.refused)
      throw InputError(fmt::format("{}: --convergence with a voxel of {}: {}", c.file.string(),
                                   program::with_prefix(c.surface.voxel, "m"), finding.text),
                       true);
}

/// Finest first.
std::vector<PreparedRun> prepare_all(mpi::Communicator& world, const FlowOptions& o, const Case& given,
                                     const Grids& grids) {
  std::vector<PreparedRun> runs;
  runs.push_back(prepare(world, o, finest_case(given, grids)));
  refuse(runs[0].c, runs[0].judged.findings);
  together(world, [&] { check_finest(runs[0].c, runs[0].judged.scaling, grids); });
  for (int k = 1; k < grids.sizes; ++k) {
    runs.push_back(prepare(world, o, coarser_case(given, runs[0].c, runs[0].judged.scaling, grids, k)));
    refuse_size(runs.back().c, runs.back().judged.findings);
  }
  return runs;
}

/// Prints the runs, coarsest first as they are run, with their expected cost.
void say_plan(mpi::Communicator& world, const std::vector<PreparedRun>& runs, const Grids& grids) {
  const auto& finest = runs.front();
  auto known = finest.judged.known;
  if (const double mlups = measure_speed_coarsely(world, finest.c, finest.shape); mlups > 0)
    known.update_seconds = 1e-6 / mlups;
  if (world.rank() != 0) return;
  fmt::print("grid convergence: {} voxel sizes, each {:.4g} times the next finer one\n", grids.sizes, grids.ratio);
  for (int k = grids.sizes - 1; k >= 0; --k) {
    const auto& run = runs[static_cast<std::size_t>(k)];
    const auto lumen = coarsest_lumen(run.c, run.c.surface.voxel);
    fmt::print("  {:<7} {} in {}; {:.3g} voxels across {}\n", grids.name(k),
               cost_of(run.c, run.judged.scaling, known).text(run.c.surface.voxel), run.c.output.directory.string(),
               lumen.voxels, lumen.text());
    if (!run.options.settings.check) continue;  // otherwise the run itself warns
    for (const auto& finding : run.judged.findings) fmt::print("          warning: {}\n", finding.text);
  }
  std::fflush(stdout);
}

ConvergenceTable::Size size_of(const Case& c, const Vessel& vessel, const RunResult& result, const std::string& name) {
  return {.name = name,
          .folder = c.output.directory,
          .voxel = vessel.scaling.dx,
          .time_step = vessel.scaling.dt,
          .voxels = coarsest_lumen(c, vessel.scaling.dx).voxels,
          .sites = result.sites,
          .steps = result.steps,
          .seconds = result.seconds,
          .relative_change = result.last.relative_change,
          .values = compared_values(c, vessel.scaling, result)};
}

}  // namespace

int run_convergence(mpi::Communicator& world, const FlowOptions& o) {
  refuse_options(o);
  const Grids grids{.sizes = o.convergence, .ratio = o.convergence_ratio};
  const auto given = read_case_of(world, o);
  together(world, [&] { check_grids(given, grids); });
  auto runs = prepare_all(world, o, given, grids);
  say_plan(world, runs, grids);
  if (o.check) return 0;

  program::RunFrame frame(world, {}, {.directory = given.output.directory, .title = given.title});
  frame.lock();
  for (auto& run : runs) run.frame->lock();  // a folder that is in use ends the study before the first run
  const bool speaks = world.rank() == 0;
  ConvergenceTable table;  // on rank 0
  table.is_of_a_beat = common_period(given).has_value();
  for (int k = grids.sizes - 1; k >= 0; --k) {
    auto& run = runs[static_cast<std::size_t>(k)];
    if (speaks)
      fmt::print("\nvoxel {} ({}), in {}\n", program::with_prefix(run.c.surface.voxel, "m"), grids.name(k),
                 run.c.output.directory.string());
    carry_out(world, o, std::move(run), {},
              [&](const Case& c, const Vessel& vessel, const RunResult& result, SummaryFacts& facts) {
                on_root(world, [&] {
                  table.add(size_of(c, vessel, result, grids.name(k)));
                  if (k > 0) return;
                  table.judge();
                  facts.grid_convergence = table;
                });
              });
  }
  const auto file = given.output.directory / "convergence.json";
  on_root(world, [&] { table.write_json(file, given); });
  if (speaks) fmt::print("\n{}\n", table.text());
  frame.close({file});
  return 0;
}

}  // namespace weft::flow
