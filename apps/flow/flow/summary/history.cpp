// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/history.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "program/series.hpp"

namespace weft::flow::summary {

namespace {

constexpr int parts = 10;                 // windows of a run without a period
constexpr std::size_t first_opening = 7;  // index in a row's values, after time_s ... entropy
constexpr std::size_t bins = 120;

class Reader {
 public:
  explicit Reader(const HistoryOptions& o)
      : o_(o), length_(o.period > 0 ? o.period : o.end_s / parts), slack_(1e-6 * std::max(o.row_seconds, 1e-300)) {}

  History read() {
    History h{.period = o_.period};
    if (!(length_ > 0)) return h;
    h.lowest_density = std::numeric_limits<double>::infinity();
    std::map<std::int64_t, Window> windows;
    program::for_each_row(o_.stem, o_.columns, [&](const program::SeriesRow& row) {
      if (h.rows++ == 0) h.first_row_s = time(row);
      h.lowest_density = std::fmin(h.lowest_density, row.values[1]);
      h.highest_density = std::fmax(h.highest_density, row.values[2]);
      h.highest_mach = std::fmax(h.highest_mach, row.values[3]);
      add(windows, row);
    });
    for (auto& [number, window] : windows) {
      finish(window);
      if (window.is_whole) h.last = static_cast<int>(h.windows.size());
      h.windows.push_back(std::move(window));
    }
    if (h.last < 0) h.last = static_cast<int>(h.windows.size()) - 1;
    if (const auto* told = h.told()) draw(*told, h);
    return h;
  }

 private:
  static double time(const program::SeriesRow& row) { return row.values[0]; }
  std::int64_t window_of(double time_s) const {
    const auto k = static_cast<std::int64_t>(std::floor((time_s + slack_) / length_));
    return o_.period > 0 ? k : std::min<std::int64_t>(k, parts - 1);
  }
  double flow(const program::SeriesRow& row, std::size_t k) const { return row.values[first_opening + 2 * k]; }
  double pressure(const program::SeriesRow& row, std::size_t k) const { return row.values[first_opening + 2 * k + 1]; }

  void add(std::map<std::int64_t, Window>& windows, const program::SeriesRow& row) const {
    const auto number = window_of(time(row));
    auto& w = windows.try_emplace(number, Window{.number = number, .openings = std::vector<OpeningSums>(o_.openings)})
                  .first->second;
    ++w.rows;
    for (std::size_t k = 0; k < o_.openings; ++k) {
      auto& sums = w.openings[k];
      const double q = flow(row, k), p = pressure(row, k);
      sums.flow += q, sums.pressure += p;
      w.net += q;
      if (!(std::abs(q) <= std::abs(sums.peak_flow))) sums.peak_flow = q;
      sums.lowest_pressure = std::min(sums.lowest_pressure, p);
      sums.highest_pressure = std::max(sums.highest_pressure, p);
      sums.peak_drop = std::max(sums.peak_drop, pressure(row, o_.root) - p);
    }
  }
  void finish(Window& w) const {
    const auto n = static_cast<double>(w.rows);
    w.from_s = static_cast<double>(w.number) * length_;
    w.to_s = w.from_s + length_;
    w.net /= n;
    for (auto& sums : w.openings) {
      sums.flow /= n, sums.pressure /= n;
      w.inflow += std::max(sums.flow, 0.0);
    }
    w.is_whole = o_.end_s >= w.to_s - o_.row_seconds - slack_ && n >= 0.98 * length_ / o_.row_seconds - 2;
  }

  void draw(const Window& told, History& h) const {
    struct Bin {
      double time = 0, rows = 0;
      std::vector<double> flow, pressure;
    };
    std::vector<Bin> all(bins);
    for (auto& bin : all) bin.flow.resize(o_.openings), bin.pressure.resize(o_.openings);
    program::for_each_row(o_.stem, o_.columns, [&](const program::SeriesRow& row) {
      if (window_of(time(row)) != told.number) return;
      const double at = (time(row) - told.from_s) / length_ * static_cast<double>(bins);
      auto& bin = all[static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(bins) - 1))];
      bin.time += time(row), bin.rows += 1;
      for (std::size_t k = 0; k < o_.openings; ++k) bin.flow[k] += flow(row, k), bin.pressure[k] += pressure(row, k);
    });
    h.flow.resize(o_.openings), h.pressure.resize(o_.openings);
    for (const auto& bin : all)
      for (std::size_t k = 0; k < o_.openings && bin.rows > 0; ++k)
        for (auto* curve : {&h.flow[k], &h.pressure[k]}) {
          curve->time_s.push_back(bin.time / bin.rows);
          curve->value.push_back((curve == &h.flow[k] ? bin.flow[k] : bin.pressure[k]) / bin.rows);
        }
  }

  const HistoryOptions& o_;
  double length_, slack_;
};

}  // namespace

const Window* History::before_told() const {
  if (last < 1) return nullptr;
  const auto& w = windows[static_cast<std::size_t>(last) - 1];
  return w.is_whole && w.number + 1 == windows[static_cast<std::size_t>(last)].number ? &w : nullptr;
}

History read_history(const HistoryOptions& options) { return Reader(options).read(); }

}  // namespace weft::flow::summary
