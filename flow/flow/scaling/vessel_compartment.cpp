// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/vessel_compartment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::flow {

namespace {

using OpeningKind = lattice::OpeningState::Kind;

bool is_prescribed_pressure(const OpeningCase& opening) {
  return opening.kind == OpeningKind::pressure && opening.is(OpeningCase::Rule::prescribed);
}

}  // namespace

VesselCompartment::VesselCompartment(const Case& c, double compliance) : case_(c), compliance_(compliance) {
  for (const auto& opening : c.openings) {
    if (opening.is(OpeningCase::Rule::windkessel)) outlets_.push_back({&opening, opening.windkessel.initial});
    if (opening.is(OpeningCase::Rule::share)) share_ += opening.value.at(0);
    if (is_prescribed_pressure(opening)) holding_.push_back(&opening);
  }
  double sum = 0;
  for (const auto& outlet : outlets_) sum += outlet.pressure;
  if (!outlets_.empty()) pressure_ = sum / static_cast<double>(outlets_.size());
}

double VesselCompartment::inflow(double time) const {
  double all = 0, inlets = 0;
  for (const auto& opening : case_.openings) {
    if (opening.kind != OpeningKind::velocity || opening.is(OpeningCase::Rule::share)) continue;
    const double flow = opening.value.at(time) * opening.area();
    all += flow;
    if (opening.disc.kind == geometry::Opening::Kind::inlet) inlets += flow;
  }
  return all - share_ * inlets;
}

double VesselCompartment::held(double time) const {
  double sum = 0;
  for (const auto* opening : holding_) sum += opening->value.at(time);
  return sum / static_cast<double>(holding_.size());
}

void VesselCompartment::advance(double time, double step) {
  // factor x p = known: each outlet's capacitor pressure is eliminated as a function of p.
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
  pressure_ = holding_.empty() ? known / factor : held(time);
  for (auto& outlet : outlets_) {
    const auto& w = outlet.opening->windkessel;
    const double behind = outlet.opening->value.at(time), kept = w.capacitance / step;
    outlet.pressure = w.proximal > 0 ? (kept * outlet.pressure + pressure_ / w.proximal + behind / w.resistance) /
                                           (kept + 1 / w.proximal + 1 / w.resistance)
                                     : pressure_;
  }
}

double VesselCompartment::slowest() const {
  double seconds = 0, conductance = 0, all = compliance_;
  for (const auto& outlet : outlets_) {
    const auto& w = outlet.opening->windkessel;
    seconds = std::max(seconds, (w.resistance + w.proximal) * w.capacitance);
    conductance += 1 / (w.resistance + w.proximal);
    all += w.capacitance;
  }
  return std::max(seconds, all / conductance);
}

CompartmentTimes compartment_times(const Case& c) {
  CompartmentTimes times;
  const auto check = [&](const Table& table) {
    times.period = std::max(times.period, table.repeats_after());
    if (!table.cosine && !(table.period > 0)) times.ends = std::max(times.ends, table.points.back()[0]);
  };
  for (const auto& opening : c.openings) check(opening.value);
  return times;
}

void settle_windkessels(Case& c) {
  const auto waits = [](const OpeningCase& o) { return o.is(OpeningCase::Rule::windkessel) && o.windkessel.settles; };
  if (std::ranges::none_of(c.openings, waits)) return;
  const auto flows = [](const OpeningCase& o) { return o.kind == OpeningKind::velocity || is_prescribed_pressure(o); };
  if (std::ranges::none_of(c.openings, flows)) return;
  VesselCompartment compartment(c, 0);
  const double period = compartment_times(c).period, span = period > 0 ? period : compartment.slowest();
  double lowest = 0, highest = 0;
  constexpr double alike = 1e-6;  // relative difference of two beats' initial pressures
  if (span > 0 && std::isfinite(span)) {
    const double step = span / VesselCompartment::steps_a_beat;
    for (int number = 0; number < VesselCompartment::most_beats; ++number) {
      const double before = compartment.pressure();
      lowest = highest = before;
      for (int i = 1; i <= VesselCompartment::steps_a_beat; ++i) {
        compartment.advance(period > 0 ? step * i : 0, step);
        lowest = std::min(lowest, compartment.pressure());
        highest = std::max(highest, compartment.pressure());
      }
      if (std::abs(compartment.pressure() - before) <= alike * std::abs(before)) break;
    }
  } else {  // resistances alone
    compartment.advance(0, 1);
    lowest = highest = compartment.pressure();
  }
  std::vector<double> settled;
  for (const auto& outlet : compartment.outlets()) settled.push_back(outlet.pressure);
  std::size_t next = 0;
  for (auto& opening : c.openings) {
    if (!opening.is(OpeningCase::Rule::windkessel)) continue;
    if (waits(opening) && std::isfinite(settled[next]) && std::isfinite(lowest + highest)) {
      opening.windkessel.initial = settled[next];
      opening.windkessel.middle = lowest / 2 + highest / 2;
    }
    ++next;
  }
}

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
