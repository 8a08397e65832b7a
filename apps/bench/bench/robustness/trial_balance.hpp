// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/monitoring/monitor.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/controls.hpp"

namespace weft::bench {

/// What went in and out of a vessel against what was prescribed, from the monitors' rows of every step.
class TrialBalance {
 public:
  /// Both are borrowed.
  TrialBalance(const flow::Case& c, const flow::Scaling& scaling);

  /// Rows in their order, one for each step.
  void add(const flow::MonitorRow& row);

  /// What is lost, or comes from nowhere, over what goes through.
  double mass_error() const;
  /// The largest of all openings that prescribe a flow or a share of it: what passes beside that, over what goes
  /// through the vessel. Of a steady run its last fifth, of a pulse all of it.
  double flow_error() const;
  /// The largest of all openings that prescribe a pressure: the mean difference from it, over the largest difference of
  /// two openings' mean pressures. Over the same time.
  double pressure_error() const;

 private:
  struct Sums {
    std::vector<double> moved, wanted, pressure, wanted_pressure;  // of each opening, positive into the vessel
    double throughput = 0;
    std::int64_t rows = 0;
  };
  Sums last() const;

  const flow::Case& case_;
  const flow::Scaling& scaling_;
  flow::Controls controls_;
  bool pulse_ = false;
  std::int64_t steps_;
  std::vector<Sums> parts_;  // of the run, a twentieth each
  double moved_ = 0, throughput_ = 0, first_mass_ = 0, last_mass_ = 0;
};

}  // namespace weft::bench
