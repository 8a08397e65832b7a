// SPDX-License-Identifier: BSD-3-Clause
#include "bench/wave/wave.hpp"

#include <memory>

#include "bench/shared/rotation.hpp"
#include "bench/workload/wave_case.hpp"
#include "wave/simulation.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

void wave(Transport& transport, const WaveBenchOptions& options) {
  const auto c = refined_box(options.cells, options.block, options.levels, options.laplacian);
  Report report("wave", transport, options);
  const double seconds = options.seconds > 0 ? options.seconds : options.quick ? 20 : 60;
  report.setting("cells", std::int64_t{options.cells});
  report.setting("levels_above", std::int64_t{options.levels});
  report.setting("block", std::int64_t{options.block});
  report.setting("laplacian", std::int64_t{options.laplacian});
  report.setting("progress", std::string(name_of(options.progress)));
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
  const double until = all_reduce(transport, now_seconds(), maximum<double>()) + seconds;
  while (samples.size() < fewest || all_reduce(transport, now_seconds(), maximum<double>()) < until) {
    barrier(transport);
    const double from = now_seconds();
    simulation.run_step();
    samples.push_back(all_reduce(transport, now_seconds() - from, maximum<double>()));
  }
  const auto spread = spread_of(samples);
  for (int level = 0; level < tree.levels(); ++level)
    report.setting("blocks_of_level_" + std::to_string(level), static_cast<std::int64_t>(tree.level(level).size()));
  report.result("step of level 0", scaled(spread, 1e3), "ms");
  report.result("cell updates, all ranks", inverse(spread, 1e-6 * updates), "million/s");
  report.note("A cell update is a whole step of a cell, with all four stages. The rate is of all ranks together.");
  report.figure("cell_updates_per_second", updates / spread.median);
  report.finish(transport);
}

}  // namespace weft::bench
