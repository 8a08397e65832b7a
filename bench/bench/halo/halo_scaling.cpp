// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/halo_scaling.hpp"

#include <fmt/format.h>

#include "bench/halo/halo_methods.hpp"
#include "bench/shared/rotation.hpp"
#include "weft/simulated.hpp"

namespace weft::bench {
namespace {

// Memory shared by all ranks of the process: the values are not used, and simulated ranks run one after the other.
double* shared_numbers(std::size_t count) {
  static std::vector<double> numbers;
  if (numbers.size() < count) {
    if (!numbers.empty()) {
      static std::vector<std::vector<double>> outgrown;  // other ranks' fields may still use the old memory
      outgrown.push_back(std::move(numbers));
    }
    numbers.assign(count, 1.0);
  }
  return numbers.data();
}

}  // namespace

void halo_scaling(mpi::Communicator& world, const HaloScalingOptions& options) {
  Report report("halo-scaling", world, options);
  report.setting("components", options.components);
  report.setting("packed_limit", options.packed_limit);
  const auto limit = [&](ExchangeOptions& o) { o.messages.packed_limit_bytes = options.packed_limit; };
  auto variants = baselines();
  variants.pop_back();  // datatypes: simulated machines copy them in no time
  for (const auto scheme : {HaloOptions::Scheme::by_dimension, HaloOptions::Scheme::direct})
    variants.push_back(weft_variant(scheme, HaloOptions::Payload::whole, "", limit));
  for (const auto extent : options.extents) {
    const CartesianGrid grid(world, {.extent = {extent, extent, extent}, .periodic = {true, true, true}});
    const auto block = CartesianGrid(grid).block().count;
    std::size_t points = options.components;
    for (const auto n : block) points *= n + 2;
    const auto field = array_of_structures(shared_numbers(points + 16 * options.components), options.components);
    std::vector<std::unique_ptr<HaloMethod>> methods;
    std::vector<Timed> turns;
    for (const auto& variant : variants) {
      methods.push_back(variant.make(world, grid, field, nullptr));
      turns.push_back({variant.name, [&method = *methods.back()] {
                         method.start();
                         method.finish();
                       }});
    }
    time_in_turns(world, turns, {.seconds = options.seconds, .fewest = options.repeats});
    const auto place = fmt::format("{}x{}x{}, {} ranks of {}x{}x{}: ", extent, extent, extent, world.size(), block[0],
                                   block[1], block[2]);
    for (const auto& t : turns)
      report.result(place + t.name, scaled(t.spread(), 1e6), "us", {.key = {{"extent", extent}, {"way", t.name}}});
  }
  report.finish(world);
}

}  // namespace weft::bench
