// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "bench/collectives/suite.hpp"

namespace weft::bench::collectives {

void times(Suite& suite, const std::vector<Entry>& entries, double seconds) {
  auto sizes = suite.options.sizes;
  if (sizes.empty() && suite.options.quick) sizes = {8, 65536};
  if (sizes.empty()) sizes = {8, 64, 512, 4096, 32768, 65536, 262144, 1048576};
  if (suite.options.sizes.empty()) {
    // The buffers of all subjects exist at the same time, so on many ranks large sizes are only measured on request.
    constexpr std::size_t most = 4U << 20U;
    const auto large = [&](std::size_t bytes) { return bytes * static_cast<std::size_t>(suite.world.size()) > most; };
    if (std::erase_if(sizes, large) > 0)
      suite.report.note("Times of sizes above 4 MiB, summed over all ranks, are not measured.");
  }
  const auto subjects = suite.subjects(entries, suite.options.kinds, sizes);
  std::vector<Measurement> all;
  for (const auto& s : subjects) all.push_back(measurement_of(*s));
  suite.measure(all, seconds);

  std::vector<double> skews;
  for (std::size_t i = 0; i < all.size(); ++i) {
    skews.insert(skews.end(), all[i].skews.begin(), all[i].skews.end());
    all[i].name = "time: " + all[i].name;
    suite.tell(all[i], key_of("time", *subjects[i]));
  }
  for (auto& s : skews) s *= 1e6;
  suite.report.result("time: between the first and the last entry", spread_of(skews), "us",
                      {.key = {{"experiment", std::string("skew")}}, .samples = {}, .interval = {}});
}

}  // namespace weft::bench::collectives
