// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "predict/forecast.hpp"

namespace weft::predict {

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.4g} ms", 1e3 * seconds);
  return fmt::format("{:.4g} us", 1e6 * seconds);
}

namespace {

std::string range_text(const Range& r) {
  const double off = std::max(r.high - r.value, r.value - r.low) / r.value;
  return fmt::format("{}{:>6}", time_text(r.value), off < 0.005 ? "" : fmt::format(" {:.0f}%", 100 * off));
}

nlohmann::ordered_json json_of(const Range& r) { return {{"s", r.value}, {"low_s", r.low}, {"high_s", r.high}}; }

}  // namespace

bool Forecast::says_something() const {
  return std::ranges::any_of(rows, [](const Row& row) { return std::ranges::any_of(row.seconds, is_known); });
}

std::string Forecast::text() const {
  std::string text = "time per step, with its uncertainty\n";
  text += fmt::format("{:>7}", "ranks");
  for (const auto& s : strategies) text += fmt::format("  {:>20}", name_of(s));
  text += fmt::format("  {:>10}  {:>10}\n", "overlapped", "efficiency");
  for (const auto& row : rows) {
    text += fmt::format("{:>7}", row.ranks);
    for (std::size_t w = 0; w < ways; ++w)
      text += fmt::format("  {:>20}", is_known(row.seconds[w]) || forced
                                          ? fmt::format("{}{}", w == row.best ? "*" : "", range_text(row.seconds[w]))
                                          : "unknown");
    text += fmt::format("  {:>8.0f} %  {:>8.0f} %\n", 100 * row.overlap_fraction, 100 * row.efficiency);
  }
  text += advice + "\n";
  if (checks.empty()) return text;
  text += fmt::format("\ncomparison with runs\n{:>7}  {:<32}  {:>12}  {:>20}  {:>7}\n", "ranks", "strategy", "measured",
                      "predicted", "error");
  double largest = 0;
  std::size_t inside = 0;
  for (const auto& c : checks) {
    text += fmt::format("{:>7}  {:<32}  {:>12}  {:>20}  {:>+6.1f} %\n", c.ranks, name_of(c.strategy),
                        time_text(c.measured), range_text(c.predicted), 100 * c.error());
    largest = std::max(largest, std::abs(c.error()));
    inside += c.within() ? 1 : 0;
  }
  return text + fmt::format("largest error {:.1f} %; {} of {} within the predicted uncertainty\n", 100 * largest,
                            inside, checks.size());
}

std::string Forecast::json() const {
  using nlohmann::ordered_json;
  ordered_json document = {{"rows", ordered_json::array()}};
  for (const auto& row : rows) {
    ordered_json one = {{"ranks", row.ranks},
                        {"best", name_of(strategies[row.best])},
                        {"overlap_fraction", row.overlap_fraction},
                        {"efficiency", row.efficiency}};
    for (std::size_t w = 0; w < ways; ++w) {
      auto way = json_of(row.seconds[w]);
      const auto& p = row.parts[w];
      way.update({{"known", is_known(row.seconds[w])},
                  {"compute_s", p.compute},
                  {"calls_s", p.calls},
                  {"exposed_s", p.exposed},
                  {"late_s", p.late},
                  {"flight_s", p.flight}});
      one["step"][name_of(strategies[w])] = way;
    }
    document["rows"].push_back(one);
  }
  document["ends_at_ranks"] = ends_at ? ordered_json(*ends_at) : ordered_json();
  document["advice"] = advice;
  for (const auto& c : checks)
    document["checks"].push_back({{"run", c.name},
                                  {"ranks", c.ranks},
                                  {"strategy", name_of(c.strategy)},
                                  {"measured_s", c.measured},
                                  {"predicted", json_of(c.predicted)},
                                  {"error", c.error()}});
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace weft::predict
