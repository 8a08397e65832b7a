// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/swing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/lumped/room.hpp"

namespace weft::flow {
namespace {

using OpeningKind = lattice::OpeningState::Kind;

constexpr double alike = 1e-3;  // relative difference of two beats, over the pressure range

struct Beat {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest, sum = 0, inflow_rising = 0;
};

bool is_alike(const Beat& a, const Beat& b) {
  const double scale = std::max({b.highest - b.lowest, 1e-6 * std::abs(b.highest), std::numeric_limits<double>::min()});
  return std::abs(a.lowest - b.lowest) < alike * scale && std::abs(a.highest - b.highest) < alike * scale;
}

/// Whether prescribed flows enter windkessels, and no other pressure opening fixes the vessel's pressure.
bool is_driven_into_windkessels(const Case& c) {
  bool windkessel = false;
  for (const auto& opening : c.openings) {
    if (opening.is(OpeningCase::Rule::windkessel))
      windkessel = true;
    else if (opening.kind == OpeningKind::pressure)
      return false;
  }
  return windkessel;
}

}  // namespace

double Swing::beat_deviation(const Scaling& s) const {
  return std::max(std::abs(beat_lowest - s.reference_pressure), std::abs(beat_highest - s.reference_pressure)) /
         s.pressure_unit();
}
double Swing::deviation(const Scaling& s) const {
  return std::max(std::abs(lowest - s.reference_pressure), std::abs(highest - s.reference_pressure)) /
         s.pressure_unit();
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
  const auto times = room_times(c);
  const double slowest = room.slowest();
  const double span = times.period > 0 ? times.period : std::max(slowest, times.ends);
  if (!(span > 0) || !std::isfinite(span)) {  // resistances alone: outflow equals inflow
    swing.is_known = false;
    return swing;
  }
  const double step = span / Room::steps_a_beat;
  Beat before;
  for (int number = 0; number < Room::most_beats; ++number) {
    Beat beat;
    for (int i = 1; i <= Room::steps_a_beat; ++i) {
      const double time = span * number + step * i, was = room.pressure();
      room.advance(time, step);
      beat.lowest = std::min(beat.lowest, room.pressure());
      beat.highest = std::max(beat.highest, room.pressure());
      beat.sum += room.pressure();
      if (room.pressure() > was) beat.inflow_rising += std::max(0.0, room.inflow(time)) * step;
    }
    swing.lowest = std::min(swing.lowest, beat.lowest);
    swing.highest = std::max(swing.highest, beat.highest);
    swing.beat_lowest = beat.lowest, swing.beat_highest = beat.highest, swing.beat_mean = beat.sum / Room::steps_a_beat;
    if (beat.inflow_rising > 0)
      swing.stored_share = swing.lattice_compliance * (beat.highest - beat.lowest) / beat.inflow_rising;
    if (number > 0 && span * number >= times.ends && is_alike(before, beat)) break;
    before = beat;
  }
  return swing;
}

}  // namespace weft::flow
