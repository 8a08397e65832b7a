// SPDX-License-Identifier: BSD-3-Clause
#include "wave/run.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "program/machine_memory.hpp"
#include "program/progress_bar.hpp"
#include "program/readable.hpp"
#include "program/series.hpp"
#include "wave/constraint.hpp"
#include "wave/outputs.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::wave {

namespace {

std::unique_ptr<Simulation> make_simulation(mpi::Communicator& world, const Case& c, const RunOptions& options,
                                            const ExchangeOptions& exchange) {
  if (!options.restart) return std::make_unique<Simulation>(world, c, exchange);
  auto state = read_checkpoint(world, c, *options.restart);
  if (world.rank() == 0) {
    for (const auto& why : state.refused) fmt::print(stderr, "warning: {}\n", why);
  }
  if (state.step > c.steps)
    throw InputError(fmt::format("{} is of step {} (the case ends at step {}). ask for more steps.",
                                 state.file.string(), state.step, c.steps),
                     true);
  if (world.rank() == 0 && !options.quiet) fmt::print("going on from {}\n", state.file.string());
  return std::make_unique<Simulation>(c, exchange, std::move(state.hierarchy), state.step);
}

}  // namespace

RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options) {
  const bool speaks = world.rank() == 0;
  auto exchange = options.exchange;
  exchange.progress = std::make_shared<Progress>(world, options.progress);
  const auto owned = make_simulation(world, c, options, exchange);  // before anything is written
  auto& simulation = *owned;
  RunResult result;
  result.from_step = simulation.step();
  std::optional<program::SeriesWriter> series;
  on_root(world, [&] {
    const auto stem = c.output.directory / "monitors";
    const auto columns = Reading::columns(c.refinement.levels);
    series.emplace(stem, columns, options.restart ? result.from_step : 0);
  });
  std::optional<program::SeriesWriter> potential;
  on_root(world, [&] {
    const auto stem = c.output.directory / "constraint";
    const std::vector<std::string> columns{"step", "phi_min", "phi_max", "cycles", "residual_first", "residual_last"};
    if (c.constraint_every == 0) return;
    potential.emplace(stem, columns, options.restart ? result.from_step + 1 : 0);
  });
  Constraint constraint;
  Outputs outputs(world, c, result.from_step);
  double aside = 0;  // seconds of readings
  const auto read = [&] {
    const double from = now_seconds();
    const auto reading = simulation.read();
    if (!std::isfinite(reading.energy))
      throw Error(
          fmt::format("the wave is no longer finite in step {} (unstable). use a smaller wave.cfl.", reading.step),
          true);
    const bool due = reading.step % c.monitor_every == 0 || reading.step == c.steps;
    on_root(world, [&] {
      if (due) series->append(reading.step, reading.values(c.refinement.levels));
    });
    aside += now_seconds() - from;
    return reading;
  };

  std::optional<Tuning> tuning;
  if (options.tune) {
    auto how = *options.tune;
    how.iterations = static_cast<std::size_t>(c.steps - result.from_step);
    const auto& d = c.domain;
    auto candidates = exchange_candidates(world);
    if (world.has(Ability::shared_memory)) {
      for (const auto* progress : {"passive", "polling"})
        candidates.push_back({{"progress", progress}, {"grouping", "per_peer"}, {"shared_memory", "on"}});
    }
    tuning.emplace(world,
                   fmt::format("wave {}x{}x{} blocks of {}, {} levels, {}", d.blocks[0], d.blocks[1], d.blocks[2],
                               d.cells, c.refinement.levels, c.title),
                   std::move(candidates), how);
  }
  const auto use = [&](const Setting& setting) {
    auto other = options.exchange;
    auto progress = options.progress;
    apply(setting, other);
    apply(setting, progress);
    other.progress = std::make_shared<Progress>(world, progress);
    simulation.stepper().use(other);
  };
  const auto run_step = [&] { simulation.run_step(); };

  std::optional<program::ProgressBar> bar;
  result.first = result.last = read();
  if (speaks && !options.quiet) bar.emplace(c.steps, result.first.cells, stderr, result.from_step);
  aside = 0;
  const double from = now_seconds();
  while (simulation.step() < c.steps) {
    if (tuning)
      tuning->iterate(use, run_step);
    else
      run_step();
    const auto done = simulation.step();
    if (c.constraint_every > 0 && done % c.constraint_every == 0) {
      const auto r = constraint.solve(simulation, c.speed, c.constraint_tolerance);
      on_root(world, [&] {
        const std::array values{r.lowest, r.highest, static_cast<double>(r.solved.cycles), r.solved.first,
                                r.solved.last};
        potential->append(done, values);
      });
    }
    if (done % c.monitor_every == 0 || done == c.steps) result.last = read();
    if (bar) bar->update(done);
    const double before = now_seconds();
    if (outputs.checkpoint_is_due(done, done == c.steps))
      on_root(world, [&] {  // a run that goes on from there has all rows up to there
        series->sync();
        if (potential) potential->sync();
      });
    outputs.write_if_due(simulation, done == c.steps);
    aside += now_seconds() - before;
  }
  result.seconds = all_reduce(world, now_seconds() - from - aside, maximum<double>());
  if (bar) bar->finish(c.steps);
  if (tuning) result.tuned = tuning->text();
  result.steps = c.steps - result.from_step;
  result.cell_updates = all_reduce(world, simulation.stepper().cell_updates(), sum<std::int64_t>());
  result.regrids = simulation.regrids();
  result.mesh = amr::describe(simulation.hierarchy().tree());
  on_root(world, [&] { series->write_json(); });
  on_root(world, [&] {
    if (potential) potential->write_json();
  });
  if (c.constraint_every > 0) result.files.push_back(c.output.directory / "constraint.csv");
  for (const auto* ending : {".csv", ".json"})
    result.files.push_back(c.output.directory / (std::string("monitors") + ending));
  result.files.insert(result.files.end(), outputs.files().begin(), outputs.files().end());
  return result;
}

std::vector<std::string> find_problems(const Case& c) {
  std::vector<std::string> problems;
  const auto& r = c.refinement;
  const double finest = c.domain.spacing_of(r.levels);
  for (std::size_t k = 0; k < c.pulses.size(); ++k) {
    const auto& pulse = c.pulses[k];
    const bool local = pulse.shape == Pulse::Shape::gaussian || pulse.shape == Pulse::Shape::front;
    if (local && pulse.width < 3 * finest)
      problems.push_back(fmt::format("pulse {} is {:.3g} wide, {:.2g} of the finest cells. use 3 or more.", k,
                                     pulse.width, pulse.width / finest));
  }
  if (r.criterion != Refinement::Criterion::none && r.every > 0 && c.cfl * static_cast<double>(r.every) > r.buffer)
    problems.push_back(
        fmt::format("a wave travels {:.2g} cells between two looks at the mesh, but the buffer is {}. use a smaller "
                    "refinement.every, or a "
                    "larger buffer.",
                    c.cfl * static_cast<double>(r.every), r.buffer));
  return problems;
}

namespace {

// Before a tree of them is made, by every rank.
void require_memory(Transport& world, const Case& c) {
  const auto& d = c.domain;
  const auto block = static_cast<double>(amr::Shape(d.cells).field * fields) * sizeof(double);
  double blocks = 1;
  for (const auto n : d.blocks) blocks *= n;
  program::require_memory(
      world, block * blocks,
      fmt::format("{} x {} x {} cells", d.blocks[0] * d.cells, d.blocks[1] * d.cells, d.blocks[2] * d.cells),
      "use fewer domain.cells");
}

}  // namespace

std::string check_report(mpi::Communicator& world, const Case& c) {
  require_memory(world, c);
  const Simulation simulation(world, c, {});
  const auto& tree = simulation.hierarchy().tree();
  const auto n = c.domain.cells;
  const auto slab = static_cast<double>(simulation.hierarchy().shape().field * fields) * sizeof(double);
  std::string text = fmt::format("{}: {} x {} x {} cells of {:.4g}, {} levels above, {}th-order Laplacian, RK4\n",
                                 c.title, c.domain.blocks[0] * n, c.domain.blocks[1] * n, c.domain.blocks[2] * n,
                                 c.domain.spacing, c.refinement.levels, static_cast<int>(c.laplacian));
  text += fmt::format("  {} steps of {:.4g}, c dt / h = {:.3g} (stable up to {:.3g})\n", c.steps, c.dt(), c.cfl,
                      stable_limit(c.laplacian));
  text += amr::describe(tree);
  text += fmt::format("  cells take {} in all at the start\n",
                      program::bytes_text(slab * static_cast<double>(tree.blocks())));
  return text;
}

}  // namespace weft::wave
