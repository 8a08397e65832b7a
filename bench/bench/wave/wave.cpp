// SPDX-License-Identifier: BSD-3-Clause
#include "bench/wave/wave.hpp"

#include <fmt/format.h>

#include <memory>

#include "bench/shared/rotation.hpp"
#include "wave/simulation.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

wave::Case refined_box(int cells, int block, int levels, int laplacian) {
  if (cells % block != 0)
    throw InputError(fmt::format("{} cells are not a multiple of blocks of {} cells. Give a multiple.", cells, block),
                     true);
  wave::Case c;
  const int blocks = cells / block;
  c.domain.blocks = {blocks, blocks, blocks};
  c.domain.periodic = {true, true, true};
  c.domain.cells = block;
  c.domain.spacing = 1.0 / cells;
  c.laplacian = static_cast<wave::Laplacian>(laplacian);
  c.pulses = {{.width = 0.1, .centre = {0.5, 0.5, 0.5}}};
  c.refinement.levels = levels;
  double half = 0.25;
  for (int level = 1; level <= levels; ++level, half /= 2) {
    const double low = 0.5 - half, high = 0.5 + half;
    c.refinement.regions.push_back({{low, low, low}, {high, high, high}, level});
  }
  return c;
}

void wave(Transport& transport, const WaveBenchOptions& options) {
  const auto c = refined_box(options.cells, options.block, options.levels, options.laplacian);
  Report report("wave", transport, options);
  const double seconds = options.seconds_or(20, 60);
  report.setting("cells", options.cells);
  report.setting("levels_above", options.levels);
  report.setting("block", options.block);
  report.setting("laplacian", options.laplacian);
  report.setting("progress", name_of(options.progress));
  report.setting("seconds", seconds);

  ExchangeOptions exchange{.messages = {.grouping = options.grouping}};
  exchange.progress = std::make_shared<Progress>(transport, ProgressOptions{.kind = options.progress});
  weft::wave::Simulation simulation(transport, c, exchange);
  const auto& tree = simulation.hierarchy().tree();
  simulation.run_step();
  const auto before = simulation.stepper().cell_updates();
  simulation.run_step();
  const auto updates =
      static_cast<double>(all_reduce(transport, simulation.stepper().cell_updates() - before, sum<std::int64_t>()));

  std::vector<double> samples;
  constexpr std::size_t fewest = 5;
  const Deadline deadline(transport, seconds);
  while (samples.size() < fewest || !deadline.is_over())
    samples.push_back(slowest(transport, [&] { simulation.run_step(); }));
  const auto spread = spread_of(samples);
  for (int level = 0; level < tree.levels(); ++level)
    report.setting("blocks_of_level_" + std::to_string(level), tree.level(level).size());
  report.result("step of level 0", scaled(spread, 1e3), "ms");
  report.result("cell updates, all ranks", inverse(spread, 1e-6 * updates), "million/s");
  report.note("A cell update is a whole step of a cell, with all four stages. The rate is of all ranks together.");
  report.figure("cell_updates_per_second", updates / spread.median);
  report.finish(transport);
}

}  // namespace weft::bench
