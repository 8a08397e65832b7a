// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/case/ramp.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// The values of openings and fluid in each step: the case's values, until commands change them.
///
/// Every rank applies the same changes before the same step, so all have equal values. Does not allocate after
/// construction.
class Controls {
 public:
  /// Both are borrowed.
  Controls(const Case& c, const Scaling& scaling);

  /// Changes the value from the current one to `value` within `ramp_seconds`, from `step` on. Then it stays, regardless
  /// of the case's table.
  void set_opening(std::size_t opening, double value, double ramp_seconds, std::int64_t step);
  void set_viscosity(double value, double ramp_seconds, std::int64_t step);

  /// Sets the pressure of an opening that depends on flows, from now on, Pa; see Outlets.
  void follow(std::size_t opening, double pressure) { followed_[opening] = pressure; }

  /// Sets the mean speed of the inflow through a pressure opening, from now on, m/s; 0: no inflow. See FedFlow.
  void feed(std::size_t opening, double speed) {
    feeding_changes_[opening] = speed > 0 || fed_[opening] > 0;
    fed_[opening] = speed;
  }

  /// Sets a correction that is added to an opening's pressure, from now on, Pa; see Outlets.
  void level(std::size_t opening, double pressure) { levels_[opening] = pressure; }

  /// OpeningCase::value in the step; during the start ramp it rises from rest (zero velocity, or the fluid's initial
  /// pressure).
  double opening(std::size_t opening, std::int64_t step) const;
  /// Factor of the start ramp, 0 to 1.
  double risen(std::int64_t step) const { return start_.is_there() ? start_.at(step) : 1; }
  /// Whether the opening prescribes a flow out of the vessel that is held by a pressure; see HeldFlow.
  bool is_held(std::size_t opening, std::int64_t step) const;
  double viscosity(std::int64_t step) const;  ///< dynamic, Pa s
  lattice::OpeningState opening_state(std::size_t opening, std::int64_t step) const;
  double tau(std::int64_t step) const;

  /// Whether a command set the opening.
  bool is_steered(std::size_t opening) const { return ramps_[opening].is_there(); }
  /// Whether the opening's state may differ from that in the previous step.
  bool opening_changes(std::size_t opening, std::int64_t step) const;
  bool viscosity_changes(std::int64_t step) const;

  /// All changes, for checkpoints: a ramp per opening, then the viscosity's.
  std::span<const Ramp> ramps() const { return ramps_; }
  void restore(std::span<const Ramp> ramps);

 private:
  std::int64_t steps_of(double seconds) const;

  const Case& case_;
  const Scaling& scaling_;
  std::vector<Ramp> ramps_;
  Ramp start_{.from = 0, .to = 1};
  std::vector<double> followed_, fed_, levels_;
  std::vector<bool> may_be_held_, feeding_changes_;  // per opening
};

}  // namespace weft::flow
