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

/// Wall shear stress over time, summed up every so many steps: for its mean, the oscillatory shear index (Ku et al.,
/// Arteriosclerosis 5 (1985) 293; He and Ku, J. Biomech. Eng. 118 (1996) 74) and the relative residence time (Himburg
/// et al., Am. J. Physiol. Heart Circ. Physiol. 286 (2004) H1916).
class WallAverages {
 public:
  /// Of one site beside the wall.
  struct Sum {
    geometry::Vector vector{};
    double magnitude = 0;
  };

  /// Nothing is kept if the case does not ask for averages. `walls`: how many this rank has.
  WallAverages(const AverageCase& average, bool is_wanted, const Scaling& scaling, std::size_t walls);

  bool is_wanted() const { return is_wanted_; }
  /// Whether a step's stress belongs to the average.
  bool takes(std::int64_t step) const;
  /// Adds the drag of each wall in a step, Pa.
  void add(std::span<const geometry::Vector> drags);

  std::int64_t samples() const { return samples_; }
  std::span<const Sum> sums() const { return sums_; }  ///< Pa, of each wall site; empty: not wanted
  /// A quantity that is one of time, of such a sum. Not-a-number before the first sample; so is the residence time
  /// where the stress has no mean, which has no end.
  double of(FieldQuantity quantity, const Sum& sum) const;

  /// Goes on from another run. Does nothing if no averages are wanted.
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
