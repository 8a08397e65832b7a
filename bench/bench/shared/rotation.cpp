// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/rotation.hpp"

#include <algorithm>
#include <cmath>

#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

// The first run is not timed: it synchronises the ranks in the same way as the timed runs, unlike a barrier over a
// network.
double batch(Transport& transport, const Timed& one, int runs) {
  barrier(transport);
  one.run();
  const double from = now_seconds();
  for (int i = 0; i < runs; ++i) one.run();
  const double seconds = (now_seconds() - from) / runs;
  if (one.settle) one.settle();
  return all_reduce(transport, seconds, maximum<double>());
}

}  // namespace

double slowest(Transport& transport, const std::function<void()>& run) {
  barrier(transport);
  const double from = now_seconds();
  run();
  return all_reduce(transport, now_seconds() - from, maximum<double>());
}

Deadline::Deadline(Transport& transport, double seconds)
    : transport_(transport), until_(all_reduce(transport, now_seconds(), maximum<double>()) + seconds) {}
bool Deadline::is_over() const { return all_reduce(transport_, now_seconds(), maximum<double>()) > until_; }

void time_in_turns(Transport& transport, std::vector<Timed>& all, const TurnOptions& options) {
  const Deadline deadline(transport, options.seconds);
  const auto n = all.size();
  const double long_enough = std::min(options.batch_seconds, options.seconds / (20 * static_cast<double>(n)));
  std::vector<int> runs;
  for (const auto& one : all) {
    runs.push_back(long_enough > 0 ? static_cast<int>(std::clamp(long_enough / batch(transport, one, 1), 1.0, 10000.0))
                                   : 1);
  }
  for (std::size_t turn = 0; turn < options.most; ++turn) {
    if (turn >= options.fewest && deadline.is_over()) break;
    for (std::size_t k = 0; k < n; ++k) {
      const auto i = ((turn % 2 == 0 ? k : n - 1 - k) + turn / 2) % n;
      all[i].seconds.push_back(batch(transport, all[i], runs[i]));
    }
  }
}

Spread ratio(const Timed& a, const Timed& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.seconds.size(), b.seconds.size()); ++i)
    ratios.push_back(a.seconds[i] / b.seconds[i]);
  return spread_of(std::move(ratios));
}

Spread scaled(const Spread& s, double by) {
  return mapped(s, [&](double x) { return x * by; });
}
Spread inverse(const Spread& s, double by) {
  return mapped(s, [&](double x) { return by / x; });
}

}  // namespace weft::bench
