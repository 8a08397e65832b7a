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
  double low = 0, high = 0;  ///< of OpeningCase::value
  OpeningCase::Rule rule = OpeningCase::Rule::prescribed;

  const char* unit() const {
    if (rule == OpeningCase::Rule::share) return "of the inflow";
    return kind == lattice::OpeningState::Kind::pressure ? "Pa" : "m/s";
  }
  /// What a command sets, for a person.
  const char* prescribes() const {
    if (rule == OpeningCase::Rule::share) return "share";
    if (rule == OpeningCase::Rule::windkessel) return "pressure_behind";
    return kind == lattice::OpeningState::Kind::pressure ? "pressure" : "velocity";
  }
};

/// How far a running flow may be changed. Values are rounded so that what is printed is what is allowed.
struct Limits {
  std::vector<OpeningLimits> openings;
  double lowest_viscosity = 0, highest_viscosity = 0;            ///< dynamic, Pa s
  double shortest_ramp = 0, default_ramp = 0, longest_ramp = 0;  ///< s
  bool checkpoints = true;                                       ///< whether the run can write any
};

/// What the scaling, which stays as it is, has room for, one thing at a time: a peak speed below the Mach number that
/// check refuses and the cell Reynolds number at which the lattice breaks; a pressure that moves the lattice density by
/// no more than check warns of, and drives nothing faster than that between any two pressure openings (Poiseuille along
/// a straight line, or Bernoulli); a viscosity with tau in check's range that keeps what the case prescribes below that
/// speed. What the case itself says is always allowed. A ramp takes sound at least once through the vessel. Pure.
Limits make_limits(const Case& c, const Scaling& scaling, const std::array<std::int32_t, 3>& extent);

}  // namespace weft::flow
