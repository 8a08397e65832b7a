// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/history.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>

#include "program/series.hpp"

namespace weft::flow::summary {

namespace {

constexpr int parts = 10;                 // windows of a run without a period
constexpr std::size_t first_opening = 7;  // index in a row's values, after time_s ... entropy
constexpr std::size_t bins = 120;

/// Looks for the last row that the start of the run still shows in (History::start_over_s).
class StartWatch {
 public:
  /// `told`: the reported window; rows differ if they are not like those `period` earlier, or without a period not like
  /// its means.
  StartWatch(const Window& told, double period) : told_(told), period_(period) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& o : told.openings) {
      low = std::fmin(low, period > 0 ? o.lowest_pressure : o.pressure);
      high = std::fmax(high, period > 0 ? o.highest_pressure : o.pressure);
      flow_scale_ = std::fmax(flow_scale_, std::abs(o.peak_flow));
    }
    pressure_scale_ = high - low;
  }

  /// Rows in order; `values`: flow and pressure of each opening in turn.
  void see(double time, std::vector<double> values) {
    if (period_ > 0) {
      while (earlier_.size() > 1 && earlier_[1].time <= time - period_) earlier_.pop_front();
      if (earlier_.empty() || earlier_.front().time > time - period_)
        last_ = time;
      else if (differs(values, [&](std::size_t i) { return one_period_before(time, i); }))
        last_ = time;
      earlier_.push_back({time, std::move(values)});
    } else if (differs(values, [&](std::size_t i) {
                 const auto& o = told_.openings[i / 2];
                 return i % 2 == 0 ? o.flow : o.pressure;
               })) {
      last_ = time;
    }
  }
  std::optional<double> over() const {
    return last_ < told_.from_s ? std::optional(std::max(last_, 0.0)) : std::nullopt;
  }

 private:
  struct Row {
    double time;
    std::vector<double> values;
  };

  template <class Other>
  bool differs(const std::vector<double>& values, const Other& other) const {
    constexpr double part = 0.01;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::abs(values[i] - other(i)) > part * (i % 2 == 0 ? flow_scale_ : pressure_scale_)) return true;
    return false;
  }
  double one_period_before(double time, std::size_t i) const {
    const auto& a = earlier_.front();
    if (earlier_.size() == 1) return a.values[i];
    const auto& b = earlier_[1];
    const double t = (time - period_ - a.time) / (b.time - a.time);
    return a.values[i] + t * (b.values[i] - a.values[i]);
  }

  const Window& told_;
  double period_, flow_scale_ = 0, pressure_scale_ = 0;
  std::deque<Row> earlier_;  // of one period
  double last_ = -1;
};

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

  // The second pass over the rows.
  void draw(const Window& told, History& h) const {
    struct Bin {
      double time = 0, rows = 0;
      std::vector<double> flow, pressure;
    };
    std::vector<Bin> all(bins);
    for (auto& bin : all) bin.flow.resize(o_.openings), bin.pressure.resize(o_.openings);
    StartWatch start(told, o_.period);
    program::for_each_row(o_.stem, o_.columns, [&](const program::SeriesRow& row) {
      start.see(time(row), {row.values.begin() + first_opening, row.values.begin() + first_opening + 2 * o_.openings});
      if (window_of(time(row)) != told.number) return;
      const double at = (time(row) - told.from_s) / length_ * static_cast<double>(bins);
      auto& bin = all[static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(bins) - 1))];
      bin.time += time(row), bin.rows += 1;
      for (std::size_t k = 0; k < o_.openings; ++k) bin.flow[k] += flow(row, k), bin.pressure[k] += pressure(row, k);
    });
    h.start_over_s = start.over();
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
