// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/case/quantity.hpp"
#include "flow/scaling/scaling.hpp"
#include "geometry/vector.hpp"

namespace weft::flow {

/// Time sums of the wall shear stress, for its mean, the oscillatory shear index (Ku et al., Arteriosclerosis 5 (1985)
/// 293; He and Ku, J. Biomech. Eng. 118 (1996) 74) and the relative residence time (Himburg et al., Am. J. Physiol.
/// Heart Circ. Physiol. 286 (2004) H1916).
class WallAverages {
 public:
  /// The sums at one wall site.
  struct Sum {
    geometry::Vector vector{};
    double magnitude = 0;
  };

  /// Stores nothing if the case needs no averages. `walls`: number of this rank's wall sites.
  WallAverages(const AverageCase& average, bool is_wanted, const Scaling& scaling, std::size_t walls);

  bool is_wanted() const { return is_wanted_; }
  /// Whether a step is a sample of the average.
  bool takes(std::int64_t step) const;
  /// Adds a step's wall shear stress at each wall site, Pa.
  void add(std::span<const geometry::Vector> drags);

  std::int64_t samples() const { return samples_; }
  std::span<const Sum> sums() const { return sums_; }  ///< Pa, for each wall site; empty: not wanted
  /// A time-averaged quantity from such a sum. Not-a-number before the first sample; also the residence time if the
  /// mean stress is zero.
  double of(FieldQuantity quantity, const Sum& sum) const;

  /// Restores the state of an earlier run. Does nothing if no averages are wanted.
  void restore(std::int64_t samples) { samples_ = is_wanted_ ? samples : 0; }
  void restore(std::size_t wall, const Sum& sum) {
    if (is_wanted_) sums_.at(wall) = sum;
  }

 private:
  bool is_wanted_;
  std::int64_t every_, first_;
  std::vector<Sum> sums_;
  std::int64_t samples_ = 0;
};

}  // namespace weft::flow
