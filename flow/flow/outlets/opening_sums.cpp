// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/opening_sums.hpp"

#include <nlohmann/json.hpp>

#include "weft/transport/collectives.hpp"

namespace weft::flow {

using nlohmann::json;

json state_of(Transport& transport, const std::deque<OpeningSum>& openings) {
  std::vector<TickSum> mine, sums(openings.size());
  for (const auto& one : openings) mine.push_back(TickSum::of(one.ticks()));
  const auto every = all_gather(transport, mine);  // ordered by rank
  for (std::size_t i = 0; i < every.size(); ++i) sums[i % sums.size()] = sums[i % sums.size()] + every[i];
  auto result = json::array();
  for (std::size_t k = 0; k < sums.size(); ++k)
    result.push_back({sums[k].high, sums[k].low, openings[k].calls, openings[k].sum.high, openings[k].sum.low});
  return result;
}

void restore(std::deque<OpeningSum>& openings, const json& state) {
  const auto sum = [](const json& numbers, std::size_t first) {
    return TickSum{numbers.at(first).get<std::int64_t>(), numbers.at(first + 1).get<std::int64_t>()};
  };
  for (std::size_t k = 0; k < openings.size(); ++k) {
    const auto& numbers = state.at(k);
    openings[k].restored = sum(numbers, 0);
    openings[k].calls = numbers.at(2);
    openings[k].sum = sum(numbers, 3);
  }
}

}  // namespace weft::flow
