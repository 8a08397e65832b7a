// SPDX-License-Identifier: BSD-3-Clause
#include "bench/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "bench/halo.hpp"
#include "bench/rotation.hpp"
#include "bench/stream.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

using lattice::DenseLattice;
using lattice::DenseParameters;

constexpr std::array set_names{"d2q9", "d3q15", "d3q19", "d3q27"};
constexpr std::array collision_names{"bgk", "trt", "mrt"};
constexpr std::array precision_names{"fp64", "fp32"};
constexpr std::array instruction_names{"best", "generic", "avx2", "avx512"};

// Two-dimensional lattices get as many sites, in rows as long.
DenseLattice::Extent block_of(const Index& size, lattice::VelocitySet set) {
  if (set == lattice::VelocitySet::d2q9) return {size[0] * size[1], size[2], 1};
  return {size[0], size[1], size[2]};
}

// Seconds of one run, the slowest rank's; all begin together.
double timed(Transport& transport, const std::function<void()>& run) {
  barrier(transport);
  const double from = now_seconds();
  run();
  return all_reduce(transport, now_seconds() - from, maximum<double>());
}

// A step of either parity and as many passes of the stream in turns, so that what the machine does meanwhile hits both
// alike. The stream has arrays of its own: in one block's, either would find in the cache what the other left there.
struct Turns {
  std::vector<double> stream, even, odd;

  Turns(Transport& transport, DenseLattice& dense, DenseLattice& arrays, double seconds) {
    const auto step = [&] {
      dense.update({0, 0, 0}, dense.block());
      dense.finish_step();
    };
    const auto pass = [&] { bench::stream(arrays); };
    pass();  // pages and clock rates come with the first ones
    step();
    step();
    const double until = all_reduce(transport, now_seconds(), maximum<double>()) + seconds;
    constexpr std::size_t fewest = 5, most = 1000;
    while (even.size() < fewest ||
           (even.size() < most && all_reduce(transport, now_seconds(), maximum<double>()) < until)) {
      const double first = timed(transport, pass);
      even.push_back(timed(transport, step));
      stream.push_back((first + timed(transport, pass)) / 2);
      odd.push_back(timed(transport, step));
    }
  }

  /// f(stream, kernel) of each turn.
  template <class Function>
  Spread spread(const Function& f) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < even.size(); ++i) values.push_back(f(stream[i], (even[i] + odd[i]) / 2));
    return spread_of(std::move(values));
  }
};

using Figures = std::map<std::string, std::vector<double>>;

void measure(Transport& transport, const KernelOptions& options, const Index& size, lattice::Precision precision,
             double seconds, Report& report, Figures& figures) {
  // A small force, lest all populations are zeros. The lattice begins at rest; this rank was the first to touch its
  // memory.
  const double force = 1e-7;
  const DenseParameters parameters{
      .velocities = options.velocities,
      .precision = precision,
      .collision = options.collision,
      .force = {force, force, options.velocities == lattice::VelocitySet::d2q9 ? 0 : force},
      .instruction_set = options.instruction_set,
      .wraps_last_axis = options.wraps};
  const auto block = block_of(size, options.velocities);
  DenseLattice dense(block, parameters), arrays(block, parameters);
  const Turns turns(transport, dense, arrays, seconds);
  const std::string name = precision_names[static_cast<std::size_t>(precision)];
  const auto place = fmt::format("{} {}: ", name_of_size(size), name);
  const double bytes = 1e-9 * streamed_bytes(arrays),
               updates = 1e-6 * static_cast<double>(block[0] * block[1] * block[2]);
  const auto stream = spread_of(turns.stream), kernel = turns.spread([](double, double k) { return k; });
  const auto share = turns.spread([](double s, double k) { return s / k; });
  report.result(place + "stream", inverse(stream, bytes), "GB/s");
  report.result(place + "stream, as updates", inverse(stream, updates), "million/s");
  report.result(place + "kernel, updates", inverse(kernel, updates), "million/s");
  report.result(place + "kernel, its populations", inverse(kernel, bytes), "GB/s");
  report.result(place + "even steps, updates", inverse(spread_of(turns.even), updates), "million/s");
  report.result(place + "odd steps, updates", inverse(spread_of(turns.odd), updates), "million/s");
  report.result(place + "share of the limit", share, "");
  figures["dense_mlups_" + name].push_back(updates / kernel.median);
  figures["dense_share_" + name].push_back(share.median);
  figures["stream_gb_per_s"].push_back(bytes / stream.median);
}

}  // namespace

void kernel(Transport& transport, const KernelOptions& options) {
  Report report("kernel", transport, options);
  auto sizes = options.sizes;
  if (sizes.empty()) sizes.push_back({128, 128, 128});
  if (options.sizes.empty() && !options.quick) sizes.push_back({256, 256, 256});
  const double seconds = options.seconds > 0 ? options.seconds : options.quick ? 20 : 120;
  report.setting("velocities", std::string(set_names[static_cast<std::size_t>(options.velocities)]));
  report.setting("collision", std::string(collision_names[static_cast<std::size_t>(options.collision)]));
  report.setting("instruction_set", std::string(instruction_names[static_cast<std::size_t>(options.instruction_set)]));
  report.setting("wraps_last_axis", options.wraps);
  report.setting("seconds", seconds);
  report.note("rates are of the slowest rank, each on a core of its own, all at the same time");

  // Time goes by size, for a block that is too large for its time gets too few turns.
  const auto volume = [](const Index& size) { return static_cast<double>(size[0] * size[1] * size[2]); };
  double all = 0;
  for (const auto& size : sizes) all += volume(size);
  const double even = 0.5 / static_cast<double>(sizes.size());
  Figures figures;
  for (const auto& size : sizes)
    for (const auto precision : options.precisions) {
      const double share = (even + 0.5 * volume(size) / all) / static_cast<double>(options.precisions.size());
      measure(transport, options, size, precision, seconds * share, report, figures);
    }
  for (const auto& [name, values] : figures) report.figure(name, *std::min_element(values.begin(), values.end()));
  report.finish(transport);
}

}  // namespace weft::bench
