// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "lattice/detail/rates.hpp"

namespace weft::lattice::detail {

/// The relaxation rate of the stress where the viscosity follows from the shear rate.
///
/// A site knows what its stress is beyond equilibrium, Pi, not the shear rate, which depends on the relaxation time
/// itself:
///     shear rate = 3 / (2 tau) sqrt(2 Pi : Pi) / rho,   tau = 1/2 + 3 viscosity(shear rate)
/// The pair is solved once, for all values of Pi : Pi / rho^2 that a table holds (some 1e-6 apart from the exact rate
/// between them), so no site lags behind by a step. Shear rates below 1e-10 and above 3 a step count as these.
class RateTable {
 public:
  /// `viscosity`: positive and finite, such that its product with the shear rate never falls. Lattice units.
  explicit RateTable(const std::function<double(double)>& viscosity);

  /// `rates` borrows the table.
  template <class Scalar>
  LocalRates<Scalar> rates(const Relaxation& relaxation) const;
  double highest_tau() const { return 1 / values_.front(); }
  double lowest_tau() const { return 1 / values_.back(); }

 private:
  std::int64_t first_ = 0;
  std::vector<double> values_;
};

}  // namespace weft::lattice::detail
