// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/step/controls.hpp"

namespace weft::robustness {

/// Compares the flows and pressures of a vessel with the prescribed ones, from the monitors' rows of every step.
class TrialBalance {
 public:
  /// Keeps references to both.
  TrialBalance(const flow::Case& c, const flow::Scaling& scaling);

  /// Adds a row; one per step, in order.
  void add(const flow::MonitorRow& row);

  /// Mass lost or gained, relative to the throughput.
  double mass_error() const;
  /// The largest error of the openings with a prescribed flow or share: the deviation of the volume, relative to the
  /// vessel's throughput. For a steady run over its last fifth, for a pulse over all of it.
  double flow_error() const;
  /// The largest error of the openings with a prescribed pressure: the mean difference from it, relative to the largest
  /// difference of two openings' mean pressures. Over the same time.
  double pressure_error() const;

 private:
  struct Sums {
    std::vector<double> moved, wanted, pressure, wanted_pressure;  // per opening, positive into the vessel
    double throughput = 0;
    std::int64_t rows = 0;
  };
  Sums last() const;

  const flow::Case& case_;
  const flow::Scaling& scaling_;
  flow::Controls controls_;
  bool pulse_ = false;
  std::int64_t steps_;
  std::vector<Sums> parts_;  // of a twentieth of the run each
  double moved_ = 0, throughput_ = 0, first_mass_ = 0, last_mass_ = 0;
};

}  // namespace weft::robustness
