// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

struct OpeningLimits {
  std::string name;
  lattice::OpeningState::Kind kind = lattice::OpeningState::Kind::pressure;
  double low = 0, high = 0;  ///< for OpeningCase::value
  OpeningCase::Rule rule = OpeningCase::Rule::prescribed;

  const char* unit() const {
    if (rule == OpeningCase::Rule::share) return "of the inflow";
    return kind == lattice::OpeningState::Kind::pressure ? "Pa" : "m/s";
  }
  /// The quantity that a command sets, as text.
  const char* prescribes() const {
    if (rule == OpeningCase::Rule::share) return "share";
    if (rule == OpeningCase::Rule::windkessel) return "pressure_behind";
    return kind == lattice::OpeningState::Kind::pressure ? "pressure" : "velocity";
  }
};

/// Limits of changes of a running flow. They are rounded so that the printed value is exactly the limit.
struct Limits {
  std::vector<OpeningLimits> openings;
  double lowest_viscosity = 0, highest_viscosity = 0;            ///< dynamic, Pa s
  double shortest_ramp = 0, default_ramp = 0, longest_ramp = 0;  ///< s
  bool checkpoints = true;                                       ///< whether the run can write checkpoints
};

/// The limits for the case's fixed scaling, each for one change at a time. Velocity: a peak speed below the Mach number
/// that the check refuses, and below the cell Reynolds number at which the lattice becomes unstable. Pressure: changes
/// the lattice density by no more than the check's warning, and drives no faster flow than that between any two
/// pressure openings (a tube along a straight line). Viscosity: tau in the check's range, and the
/// case's flow below that speed. The case's own values are always allowed. A ramp takes at least the time that sound
/// takes through the vessel. Pure.
Limits make_limits(const Case& c, const Scaling& scaling, const std::array<std::int32_t, 3>& extent);

}  // namespace weft::flow
