// SPDX-License-Identifier: BSD-3-Clause
#include "flow/convergence/grid_convergence.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace weft::flow {

namespace {

/// Solves r21^p (r32^p - 1) / (r21^p - 1) = e32 / e21, the ratio of the differences, for the order p: Celik's equations
/// (3), iterated from below. Steps are scaled so that the iteration converges for all ratios of voxels; for equal
/// ratios they are full steps. None: no positive order fits.
std::optional<double> apparent_order(double ratio_of_differences, double r21, double r32) {
  const double unequal = std::log(r32) / std::log(r21);
  if (!(ratio_of_differences > unequal)) return {};  // the left side at p = 0, from where it grows with p
  const double part = 2 / (1 + unequal);
  double p = 1e-3;
  constexpr int most = 10000;
  for (int k = 0; k < most; ++k) {
    const double q = std::log((std::pow(r21, p) - 1) / (std::pow(r32, p) - 1));
    const double step = part * ((std::log(ratio_of_differences) + q) / std::log(r21) - p);
    p += step;
    if (!(p > 0)) return {};
    if (std::abs(step) < 1e-12 * p) return p;
  }
  return {};
}

}  // namespace

GridConvergence grid_convergence(std::span<const double> results, std::span<const double> voxels) {
  using Outcome = GridConvergence::Outcome;
  const double finest = results[0], e21 = results[1] - finest, r21 = voxels[1] / voxels[0];
  const double small = GridConvergence::equal_within * std::abs(finest);
  const bool is_three = results.size() > 2;
  const double e32 = is_three ? results[2] - results[1] : 0;
  if (std::abs(e21) <= small && std::abs(e32) <= small)
    return {.outcome = Outcome::equal, .extrapolated = finest, .index = 0};

  GridConvergence found{.outcome = Outcome::monotone, .order = GridConvergence::formal_order};
  // If only the two finer results agree, the order can't be determined; the formal order gives an index close to 0.
  if (is_three && std::abs(e21) > small) {
    if (e32 / e21 < 0) return {.outcome = Outcome::oscillatory};
    const auto order = apparent_order(e32 / e21, r21, voxels[2] / voxels[1]);
    if (!order || *order < GridConvergence::least_order)
      return {.outcome = Outcome::diverging, .apparent_order = order.value_or(GridConvergence::unknown)};
    found.apparent_order = *order;
    found.order = std::min(*order, GridConvergence::formal_order);
  }
  const double left = e21 / (std::pow(r21, found.order) - 1);
  found.extrapolated = finest - left;
  found.index =
      (is_three ? GridConvergence::factor_of_three : GridConvergence::factor_of_two) * std::abs(left / finest);
  return found;
}

}  // namespace weft::flow
