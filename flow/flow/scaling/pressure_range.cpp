// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/pressure_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/scaling/vessel_compartment.hpp"

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

double PressureRange::beat_deviation(const Scaling& s) const {
  return std::max(std::abs(beat_lowest - s.reference_pressure), std::abs(beat_highest - s.reference_pressure)) /
         s.pressure_unit();
}
double PressureRange::deviation(const Scaling& s) const {
  return std::max(std::abs(lowest - s.reference_pressure), std::abs(highest - s.reference_pressure)) /
         s.pressure_unit();
}

PressureRange expected_pressure_range(const Case& c, const Scaling& scaling, double volume) {
  PressureRange pressure_range;
  pressure_range.lattice_compliance = volume / scaling.pressure_unit();
  pressure_range.sound_speed = scaling.speed_unit() / std::sqrt(3.0);
  for (const auto& opening : c.openings)
    if (opening.is(OpeningCase::Rule::windkessel))
      pressure_range.windkessel_compliance += opening.windkessel.capacitance;
  if (!is_driven_into_windkessels(c)) return pressure_range;

  VesselCompartment compartment(c, pressure_range.lattice_compliance);
  pressure_range.is_known = true;
  pressure_range.start = pressure_range.lowest = pressure_range.highest = compartment.pressure();
  const auto times = compartment_times(c);
  const double slowest = compartment.slowest();
  const double span = times.period > 0 ? times.period : std::max(slowest, times.ends);
  if (!(span > 0) || !std::isfinite(span)) {  // resistances alone: outflow equals inflow
    pressure_range.is_known = false;
    return pressure_range;
  }
  const double step = span / VesselCompartment::steps_a_beat;
  Beat before;
  for (int number = 0; number < VesselCompartment::most_beats; ++number) {
    Beat beat;
    for (int i = 1; i <= VesselCompartment::steps_a_beat; ++i) {
      const double time = span * number + step * i, was = compartment.pressure();
      compartment.advance(time, step);
      beat.lowest = std::min(beat.lowest, compartment.pressure());
      beat.highest = std::max(beat.highest, compartment.pressure());
      beat.sum += compartment.pressure();
      if (compartment.pressure() > was) beat.inflow_rising += std::max(0.0, compartment.inflow(time)) * step;
    }
    pressure_range.lowest = std::min(pressure_range.lowest, beat.lowest);
    pressure_range.highest = std::max(pressure_range.highest, beat.highest);
    pressure_range.beat_lowest = beat.lowest, pressure_range.beat_highest = beat.highest,
    pressure_range.beat_mean = beat.sum / VesselCompartment::steps_a_beat;
    if (beat.inflow_rising > 0)
      pressure_range.stored_share =
          pressure_range.lattice_compliance * (beat.highest - beat.lowest) / beat.inflow_rising;
    if (number > 0 && span * number >= times.ends && is_alike(before, beat)) break;
    before = beat;
  }
  return pressure_range;
}

}  // namespace weft::flow
