// SPDX-License-Identifier: BSD-3-Clause
#include "flow/swing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::flow {
namespace {

using OpeningKind = lattice::OpeningState::Kind;

constexpr int steps_a_beat = 1000;
constexpr int most_beats = 300;
constexpr double alike = 1e-3;  // two beats, of their swing

struct Outlet {
  const OpeningCase* opening;
  double pressure;  // at its capacitor
};

/// One room of pressure p: C dp/dt = what enters - what leaves through (p - P) / proximal. By backward Euler, since what lies behind a
/// small proximal resistance answers much faster than a beat takes.
class Room {
 public:
  Room(const Case& c, double compliance) : case_(c), compliance_(compliance) {
    for (const auto& opening : c.openings) {
      if (opening.is(OpeningCase::Rule::windkessel)) outlets_.push_back({&opening, opening.windkessel.initial});
      if (opening.is(OpeningCase::Rule::share)) share_ += opening.value.at(0);
    }
    double sum = 0;
    for (const auto& outlet : outlets_) sum += outlet.pressure;
    if (!outlets_.empty()) pressure_ = sum / static_cast<double>(outlets_.size());
  }

  double inflow(double time) const {
    double all = 0, inlets = 0;
    for (const auto& opening : case_.openings) {
      if (opening.kind != OpeningKind::velocity || opening.is(OpeningCase::Rule::share)) continue;
      const double flow = opening.value.at(time) * opening.area();
      all += flow;
      if (opening.disc.kind == geometry::Opening::Kind::inlet) inlets += flow;
    }
    return all - share_ * inlets;
  }

  void advance(double time, double step) {
    // (factor) p = known, each outlet's capacitor put in by what it comes to at p.
    double factor = compliance_ / step, known = compliance_ / step * pressure_ + inflow(time);
    for (const auto& outlet : outlets_) {
      const auto& w = outlet.opening->windkessel;
      const double behind = outlet.opening->value.at(time), kept = w.capacitance / step;
      if (w.proximal > 0) {
        const double all = kept + 1 / w.proximal + 1 / w.resistance;
        factor += (1 - 1 / w.proximal / all) / w.proximal;
        known += (kept * outlet.pressure + behind / w.resistance) / all / w.proximal;
      } else {
        factor += kept + 1 / w.resistance;
        known += kept * outlet.pressure + behind / w.resistance;
      }
    }
    pressure_ = known / factor;
    for (auto& outlet : outlets_) {
      const auto& w = outlet.opening->windkessel;
      const double behind = outlet.opening->value.at(time), kept = w.capacitance / step;
      outlet.pressure = w.proximal > 0 ? (kept * outlet.pressure + pressure_ / w.proximal + behind / w.resistance) /
                                             (kept + 1 / w.proximal + 1 / w.resistance)
                                       : pressure_;
    }
  }

  bool has_outlets() const { return !outlets_.empty(); }
  double pressure() const { return pressure_; }
  /// The longest time that pressures take to follow.
  double slowest() const {
    double seconds = 0, conductance = 0, all = compliance_;
    for (const auto& outlet : outlets_) {
      const auto& w = outlet.opening->windkessel;
      seconds = std::max(seconds, (w.resistance + w.proximal) * w.capacitance);
      conductance += 1 / (w.resistance + w.proximal);
      all += w.capacitance;
    }
    return std::max(seconds, all / conductance);
  }

 private:
  const Case& case_;
  double compliance_;
  std::vector<Outlet> outlets_;
  double share_ = 0, pressure_ = 0;
};

/// The longest period there is, and the time after which tables without one stay as they are.
struct Times {
  double period = 0, ends = 0;
};
Times times_of(const Case& c) {
  Times times;
  const auto look = [&](const Table& table) {
    times.period = std::max(times.period, table.repeats_after());
    if (!table.cosine && !(table.period > 0)) times.ends = std::max(times.ends, table.points.back()[0]);
  };
  for (const auto& opening : c.openings) look(opening.value);
  return times;
}

struct Beat {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest, sum = 0, inflow_rising = 0;
};

bool is_alike(const Beat& a, const Beat& b) {
  const double scale = std::max({b.highest - b.lowest, 1e-6 * std::abs(b.highest), std::numeric_limits<double>::min()});
  return std::abs(a.lowest - b.lowest) < alike * scale && std::abs(a.highest - b.highest) < alike * scale;
}

/// Another pressure opening holds the vessel; and where nothing gives way, a pressure can't be told.
bool is_driven_into_windkessels(const Case& c) {
  bool windkessel = false;
  for (const auto& opening : c.openings) {
    if (opening.is(OpeningCase::Rule::windkessel)) windkessel = true;
    else if (opening.kind == OpeningKind::pressure) return false;
  }
  return windkessel;
}

}  // namespace

double Swing::beat_deviation(const Scaling& s) const {
  return std::max(std::abs(beat_lowest - s.reference_pressure), std::abs(beat_highest - s.reference_pressure)) / s.pressure_unit();
}
double Swing::deviation(const Scaling& s) const {
  return std::max(std::abs(lowest - s.reference_pressure), std::abs(highest - s.reference_pressure)) / s.pressure_unit();
}

Swing expected_swing(const Case& c, const Scaling& scaling, double volume) {
  Swing swing;
  swing.lattice_compliance = volume / scaling.pressure_unit();
  swing.sound_speed = scaling.speed_unit() / std::sqrt(3.0);
  for (const auto& opening : c.openings)
    if (opening.is(OpeningCase::Rule::windkessel)) swing.windkessel_compliance += opening.windkessel.capacitance;
  if (!is_driven_into_windkessels(c)) return swing;

  Room room(c, swing.lattice_compliance);
  swing.is_known = true;
  swing.start = swing.lowest = swing.highest = room.pressure();
  const auto times = times_of(c);
  const double slowest = room.slowest();
  const double span = times.period > 0 ? times.period : std::max(slowest, times.ends);
  if (!(span > 0) || !std::isfinite(span)) {  // resistances alone: what leaves is what enters
    swing.is_known = false;
    return swing;
  }
  const double step = span / steps_a_beat;
  Beat before;
  for (int number = 0; number < most_beats; ++number) {
    Beat beat;
    for (int i = 1; i <= steps_a_beat; ++i) {
      const double time = span * number + step * i, was = room.pressure();
      room.advance(time, step);
      beat.lowest = std::min(beat.lowest, room.pressure());
      beat.highest = std::max(beat.highest, room.pressure());
      beat.sum += room.pressure();
      if (room.pressure() > was) beat.inflow_rising += std::max(0.0, room.inflow(time)) * step;
    }
    swing.lowest = std::min(swing.lowest, beat.lowest);
    swing.highest = std::max(swing.highest, beat.highest);
    swing.beat_lowest = beat.lowest, swing.beat_highest = beat.highest, swing.beat_mean = beat.sum / steps_a_beat;
    if (beat.inflow_rising > 0)
      swing.stored_share = swing.lattice_compliance * (beat.highest - beat.lowest) / beat.inflow_rising;
    if (number > 0 && span * number >= times.ends && is_alike(before, beat)) break;
    before = beat;
  }
  return swing;
}

}  // namespace weft::flow
