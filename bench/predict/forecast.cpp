// SPDX-License-Identifier: BSD-3-Clause
#include "predict/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace weft::predict {

// The model's time for the run as it was done, on its network.
StepTime Predictor::model_of(const Run& run) const {
  return step_time(problem_.at(run.profile.ranks), of_runs_, {run.profile.coalesce, run.profile.progress});
}

std::string Predictor::doubt() const {
  constexpr double most_jitter = 0.5, most_correction = 2;  // docs/predict.md
  for (const auto& run : problem_.runs()) {
    const auto& p = run.profile;
    if (p.ranks < 2) continue;
    if (p.jitter_seconds > most_jitter * p.compute_seconds)
      return fmt::format(
          "{}: The computation of a rank differs by {:.0f} % from step to step (something disturbed the "
          "run). Repeat it on idle cores, with a core per rank.",
          run.name, 100 * p.jitter_seconds / p.compute_seconds);
    const double modelled = model_of(run).step(), correction = p.step_seconds / modelled;
    if (!(correction <= most_correction && correction >= 1 / most_correction))
      return fmt::format(
          "{}: A step took {}, but takes {} on the network of the run as given (this is another network, or "
          "something disturbed the run). Give the run's own network with --run-network.",
          run.name, time_text(p.step_seconds), time_text(modelled));
  }
  return "";
}

Range Predictor::seconds(int ranks, const Strategy& strategy) const {
  // The model's error for a run may be its error for others, too.
  const auto& base = problem_.nearest(ranks);
  const auto& p = base.profile;
  const double correction = p.step_seconds / model_of(base).step();
  std::array<double, 3> all{};
  for (const auto outlook : {Outlook::likely, Outlook::good, Outlook::bad})
    all[static_cast<std::size_t>(outlook)] =
        correction * step_time(problem_.at(ranks, outlook), network_, strategy, outlook).step();
  // Elsewhere the error may be zero, or twice as large; and two runs of one program differ.
  constexpr double noise = 0.01;
  const bool is_run = !is_elsewhere_ && ranks == p.ranks && strategy == Strategy{p.coalesce, p.progress};
  const double off = is_run ? 0 : (std::abs(1 - 1 / correction) + noise) * all[0];
  const auto [low, high] = std::minmax({all[0], all[1], all[2]});
  return {all[0], std::max(0.0, low - off), high + off};
}

Check Predictor::check(const Run& run) const {
  problem_.require_same(run);
  const auto& p = run.profile;
  const Strategy strategy{p.coalesce, p.progress};
  return {run.name, p.ranks, strategy, p.step_seconds, seconds(p.ranks, strategy)};
}

namespace {

// One or two sentences: the best strategy by the number of ranks, and the end of scaling.
std::string advise(const Forecast& f) {
  const auto& last = f.rows.back();
  const auto surely = [](const Forecast::Row& row) {  // the first way is a program written without weft
    return row.best != 0 && Forecast::is_known(row.seconds[0]) && Forecast::is_known(row.seconds[row.best]) &&
           row.seconds[row.best].value < 0.98 * row.seconds[0].value;
  };
  std::string text;
  const auto first = std::ranges::find_if(f.rows, surely);
  if (first == f.rows.end()) {
    text = fmt::format("No strategy is 2 % faster than separate clients without overlap, up to {} ranks.", last.ranks);
  } else {
    auto best = std::ranges::max_element(
        first, f.rows.end(), {}, [](const Forecast::Row& r) { return r.seconds[0].value / r.seconds[r.best].value; });
    text =
        fmt::format("From {} ranks on, use: {} (on {} ranks {:.2f} times as fast as separate clients without overlap).",
                    first->ranks, name_of(f.strategies[best->best]), best->ranks,
                    best->seconds[0].value / best->seconds[best->best].value);
  }
  if (f.ends_at)
    text += fmt::format(" Scaling ends at {} ranks: there an average rank computes for less than half of the time.",
                        *f.ends_at);
  else
    text += fmt::format(" On {} ranks an average rank still computes for {:.0f} % of the time.", last.ranks,
                        100 * last.efficiency);
  return text;
}

}  // namespace

Forecast Predictor::forecast(const std::vector<int>& ranks, const std::string& overlap) const {
  Forecast f;
  f.strategies = {{{false, "passive"}, {false, overlap}, {true, "passive"}, {true, overlap}}};
  for (const int n : ranks) {
    Forecast::Row row{.ranks = n, .seconds = {}, .parts = {}};
    for (std::size_t w = 0; w < Forecast::ways; ++w) {
      row.seconds[w] = seconds(n, f.strategies[w]);
      row.parts[w] = parts(n, f.strategies[w]);
      if (row.seconds[w].value < row.seconds[row.best].value) row.best = w;
    }
    row.overlap_fraction = row.parts[row.best].overlap_fraction();
    row.efficiency = row.parts[row.best].compute / row.parts[row.best].step();
    if (row.efficiency < 0.5 && !f.ends_at) f.ends_at = n;
    f.rows.push_back(row);
  }
  f.advice = advise(f);
  return f;
}

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
