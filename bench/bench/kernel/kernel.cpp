// SPDX-License-Identifier: BSD-3-Clause
#include "bench/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "bench/kernel/kernel_subject.hpp"
#include "bench/kernel/stream.hpp"
#include "bench/shared/rotation.hpp"
#include "bench/shared/size_text.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

using lattice::DenseLattice;

// Seconds of one run of the slowest rank; all ranks begin together.
double timed(Transport& transport, const std::function<void()>& run) {
  barrier(transport);
  const double from = now_seconds();
  run();
  return all_reduce(transport, now_seconds() - from, maximum<double>());
}

// Alternates steps of either parity with passes of the stream, so that disturbances affect both equally. The stream has
// arrays of its own; with shared arrays each would find the other's data in the cache.
struct Turns {
  std::vector<double> stream, even, odd;

  Turns(Transport& transport, const KernelSubject& subject, double seconds) {
    // The stream's arrays are almost as long as the lattice's; the time is scaled.
    const double scale = subject.streamed_bytes / bench::streamed_bytes(*subject.arrays);
    const auto pass = [&] { bench::stream(*subject.arrays); };
    pass();  // the first runs map pages and raise the clock rate
    subject.step();
    subject.step();
    const double until = all_reduce(transport, now_seconds(), maximum<double>()) + seconds;
    constexpr std::size_t fewest = 5, most = 1000;
    while (even.size() < fewest ||
           (even.size() < most && all_reduce(transport, now_seconds(), maximum<double>()) < until)) {
      const double first = timed(transport, pass);
      even.push_back(timed(transport, subject.step));
      stream.push_back(scale * (first + timed(transport, pass)) / 2);
      odd.push_back(timed(transport, subject.step));
    }
  }

  /// f(stream, kernel) for each turn.
  template <class Function>
  Spread spread(const Function& f) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < even.size(); ++i) values.push_back(f(stream[i], (even[i] + odd[i]) / 2));
    return spread_of(std::move(values));
  }
};

// The worst value of each figure.
using Figures = std::map<std::string, double>;
void take(Figures& figures, const std::string& name, double value) {
  const auto [at, is_new] = figures.try_emplace(name, value);
  if (!is_new) at->second = std::min(at->second, value);
}

void measure(Transport& transport, const KernelSubject& subject, double seconds, Report& report, Figures& figures) {
  const Turns turns(transport, subject, seconds);
  const auto place = subject.name + ": ";
  const double bytes = 1e-9 * subject.streamed_bytes, updates = 1e-6 * subject.sites;
  const auto stream = spread_of(turns.stream), kernel = turns.spread([](double, double k) { return k; });
  const auto share = turns.spread([](double s, double k) { return s / k; });
  report.result(place + "stream", inverse(stream, bytes), "GB/s");
  report.result(place + "stream, as updates", inverse(stream, updates), "million/s");
  report.result(place + "kernel, updates", inverse(kernel, updates), "million/s");
  report.result(place + "kernel, its populations", inverse(kernel, bytes), "GB/s");
  report.result(place + "even steps, updates", inverse(spread_of(turns.even), updates), "million/s");
  report.result(place + "odd steps, updates", inverse(spread_of(turns.odd), updates), "million/s");
  report.result(place + "share of the limit", share, "");
  report.result(place + "memory, of the populations alone", spread_of({subject.memory}), "");
  if (subject.figure.empty()) return;
  take(figures, fmt::format("{}_mlups_{}", subject.figure, name_of(subject.precision)), updates / kernel.median);
  take(figures, fmt::format("{}_share_{}", subject.figure, name_of(subject.precision)), share.median);
  take(figures, "stream_gb_per_s", bytes / stream.median);
}

}  // namespace

void kernel(Transport& transport, const KernelOptions& options) {
  Report report("kernel", transport, options);
  auto o = options;
  if (o.sizes.empty()) o.sizes.push_back({128, 128, 128});
  if (options.sizes.empty() && !o.quick) o.sizes.push_back({256, 256, 256});
  if (o.vessels.empty()) o.vessels.emplace_back(o.quick ? "2000000" : "4000000");
  const double seconds = o.seconds > 0 ? o.seconds : o.quick ? 30 : 240;
  report.setting("instruction_set", std::string(name_of(o.instruction_set)));
  report.setting("wraps_last_axis", o.wraps);
  report.setting("seconds", seconds);
  report.note("Rates are of the slowest rank. All ranks run at the same time, each on a core of its own.");

  // Half of the time is distributed by size, since a large lattice would otherwise get too few turns.
  const auto subjects = kernel_subjects(transport, o);
  double all = 0;
  for (const auto& subject : subjects) all += subject.sites;
  const double even = 0.5 / static_cast<double>(subjects.size());
  Figures figures;
  for (const auto& subject : subjects)
    measure(transport, subject.make(), seconds * (even + 0.5 * subject.sites / all), report, figures);
  for (const auto& [name, value] : figures) report.figure(name, value);
  report.finish(transport);
}

}  // namespace weft::bench
