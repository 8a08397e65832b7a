// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "bench/collectives/delay_pattern.hpp"
#include "bench/collectives/merit.hpp"
#include "bench/collectives/suite.hpp"

namespace weft::bench::collectives {

void delays(Suite& suite, const std::vector<Entry>& entries, double seconds) {
  if (suite.world.size() == 1) return suite.report.note("Delayed starts are not measured (there is only one rank).");
  const auto& options = suite.options;
  auto sizes = options.sizes;
  if (sizes.empty()) sizes = options.quick ? std::vector<std::size_t>{8} : std::vector<std::size_t>{8, 4096, 65536};
  auto deltas = options.deltas_us;
  if (deltas.empty()) deltas = {10, 100, 1000};
  std::erase(deltas, 0.0);
  deltas.insert(deltas.begin(), 0.0);  // t_0
  const auto pattern = delay_pattern(suite.world, options.delayed, options.seed);
  const auto rank = static_cast<std::size_t>(suite.world.rank());

  const auto subjects = suite.subjects(entries, options.kinds, sizes);
  std::vector<Measurement> all;
  for (const auto& s : subjects)
    for (const double delta : deltas) {
      auto m = measurement_of(*s);
      m.name = fmt::format("delay {:g} us: {}", delta, m.name);
      m.delay = [&pattern, rank, delta](std::size_t turn) {
        return delta * 1e-6 * pattern[turn % pattern.size()][rank];
      };
      m.longest_delay = delta * 1e-6;
      all.push_back(std::move(m));
    }
  suite.measure(all, seconds);

  std::size_t seed = options.seed;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& s = *subjects[i / deltas.size()];
    const auto& without = all[i - i % deltas.size()];
    const double delta = deltas[i % deltas.size()];
    auto key = key_of("delay", s);
    key.emplace_back("delta_us", delta);
    key.emplace_back("what", std::string("time"));
    suite.tell(all[i], key);
    if (delta == 0 || all[i].seconds.empty() || without.seconds.empty()) continue;
    key.back().second = std::string("benefit");
    suite.tell(
        all[i].name + ", b",
        [&] {
          const auto b = [&](const auto& t) { return delay_benefit(t[0], delta * 1e-6, t[1]); };
          return bootstrap({without.seconds, all[i].seconds}, b, ++seed);
        },
        key);
  }
}

}  // namespace weft::bench::collectives
