// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/ramp.hpp"

namespace weft::flow {

/// What openings and fluid are in each step: what the case says, until they are changed while the flow runs.
///
/// Every rank changes the same before the same step, so all know the same. Nothing is allocated after construction.
class Controls {
 public:
  /// Both are borrowed.
  Controls(const Case& c, const Scaling& scaling);

  /// From where it is now to the value within so many seconds, from `step` on; then it stays, whatever the case's table
  /// says.
  void set_opening(std::size_t opening, double value, double ramp_seconds, std::int64_t step);
  void set_viscosity(double value, double ramp_seconds, std::int64_t step);

  /// What an opening that follows a flow has from now on, Pa; see Outlets.
  void follow(std::size_t opening, double pressure) { followed_[opening] = pressure; }

  /// The mean speed from now on of what comes in through an opening by its pressure, m/s; 0: nothing does. See FedFlow.
  void feed(std::size_t opening, double speed) {
    feeding_changes_[opening] = speed > 0 || fed_[opening] > 0;
    fed_[opening] = speed;
  }

  /// What is added to the pressure that an opening prescribes, from now on, Pa; see Outlets.
  void level(std::size_t opening, double pressure) { levels_[opening] = pressure; }

  /// OpeningCase::value, as prescribed in the step: from rest (no velocity; the pressure that the fluid begins with)
  /// within the start ramp.
  double opening(std::size_t opening, std::int64_t step) const;
  /// How much of it, 0 to 1, the start ramp lets through.
  double risen(std::int64_t step) const { return start_.is_there() ? start_.at(step) : 1; }
  /// Whether the flow that the opening prescribes is one out of the vessel, so that a pressure holds it; see HeldFlow.
  bool is_held(std::size_t opening, std::int64_t step) const;
  double viscosity(std::int64_t step) const;  ///< dynamic, Pa s
  lattice::OpeningState opening_state(std::size_t opening, std::int64_t step) const;
  double tau(std::int64_t step) const;

  /// Whether it was set while the flow runs.
  bool is_steered(std::size_t opening) const { return ramps_[opening].is_there(); }
  /// Whether it may be another one than in the step before.
  bool opening_changes(std::size_t opening, std::int64_t step) const;
  bool viscosity_changes(std::int64_t step) const;

  /// All that was changed: a ramp an opening, then the viscosity's. For checkpoints.
  std::span<const Ramp> ramps() const { return ramps_; }
  void restore(std::span<const Ramp> ramps);

 private:
  std::int64_t steps_of(double seconds) const;

  const Case& case_;
  const Scaling& scaling_;
  std::vector<Ramp> ramps_;
  Ramp start_{.from = 0, .to = 1};
  std::vector<double> followed_, fed_, levels_;
  std::vector<bool> may_be_held_, feeding_changes_;  // by opening
};

}  // namespace weft::flow
