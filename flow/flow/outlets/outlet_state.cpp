// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/outlet_state.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

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

using nlohmann::json;

namespace {

std::vector<double> numbers_of(const json& list) {
  std::vector<double> result;
  for (const auto& value : list) result.push_back(number_of(value));
  return result;
}

}  // namespace

double number_of(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json json_of(const Beats::State& state) {
  auto differences = json::array();
  for (const auto& d : state.differences) differences.push_back({d.beat, d.difference, d.of});
  return {{"next", state.next}, {"finished", state.finished}, {"time", state.time},        {"value", state.value},
          {"now", state.now},   {"last", state.last},         {"differences", differences}};
}
Beats::State beats_of(const json& value) {
  Beats::State state{.next = value.at("next"),
                     .finished = value.at("finished"),
                     .time = number_of(value.at("time")),
                     .value = numbers_of(value.at("value")),
                     .now = numbers_of(value.at("now")),
                     .last = numbers_of(value.at("last"))};
  for (const auto& d : value.at("differences")) state.differences.push_back({d.at(0), number_of(d.at(1)), d.at(2)});
  return state;
}

json json_of(const Tuner::State& state) {
  auto windkessels = json::array();
  for (const auto& w : state.windkessels) windkessels.push_back({w.resistance, w.capacitance, w.proximal, w.initial});
  return {{"windkessels", windkessels},
          {"fill", state.fill},
          {"offset", state.offset},
          {"changes", state.changes},
          {"met", state.met}};
}
Tuner::State tuner_of(const json& value) {
  Tuner::State state{.fill = numbers_of(value.at("fill")),
                     .offset = numbers_of(value.at("offset")),
                     .changes = value.at("changes"),
                     .met = value.at("met")};
  for (const auto& w : value.at("windkessels"))
    state.windkessels.push_back({number_of(w.at(0)), number_of(w.at(1)), number_of(w.at(2)), number_of(w.at(3))});
  return state;
}

json json_of(const Circulation::State& state) { return {{"volume", state.volume}, {"flow", state.flow}}; }
Circulation::State circulation_of(const json& value) {
  return {numbers_of(value.at("volume")), numbers_of(value.at("flow"))};
}

}  // namespace weft::flow
