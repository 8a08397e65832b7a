// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/monitoring/monitor.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::bench {

/// What went in and out of a vessel in one beat (or in what there is of it), from the monitors' rows of every step.
struct Beat {
  double inflow = 0;      ///< m^3 through the inlets, by what the monitors counted; positive into the vessel
  double outflow = 0;     ///< m^3 through the outlets, positive out of it
  double stored = 0;      ///< m^3, by the vessel's mass
  double throughput = 0;  ///< m^3 of either way through the inlets
  double prescribed = 0;  ///< m^3 that the inlets were told
  double highest_pressure = 0, lowest_pressure = 0;  ///< Pa, at the first inlet

  /// What is lost, or comes from nowhere, as a part of what goes through.
  double mass_error() const;
  /// What the inlets give more or less than they were told, as a part of what goes through.
  double delivered_flow_error() const;
};

/// Sums the rows of a run up, beat by beat. A beat is the first inlet's period; without one, the whole run.
class BeatBalance {
 public:
  BeatBalance(const flow::Case& c, const flow::Scaling& scaling);

  /// Rows in their order, one for each step.
  void add(const flow::MonitorRow& row);
  /// Whole beats (of the last one some steps may be missing); the one that is under way when there is none.
  std::vector<Beat> beats() const;

 private:
  const flow::Case& case_;
  const flow::Scaling& scaling_;
  double period_;
  std::vector<Beat> whole_;
  Beat now_;                // that is under way
  std::size_t number_ = 0;  // of that beat
  double first_mass_ = 0, last_mass_ = 0, seconds_ = 0;
  bool begun_ = false;
};

}  // namespace weft::bench
