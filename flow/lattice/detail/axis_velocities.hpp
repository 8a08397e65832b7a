// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lattice/detail/links.hpp"
#include "lattice/detail/row_kernel.hpp"

namespace weft::lattice::detail {

/// Data of the advection correction (see Advection): each site's velocity, one stream of single precision per axis, and
/// after each stream one number per ghost along the axis. A step reads the previous step's velocities of the two
/// neighbours along each axis, and writes its own to a second array. The two arrays alternate with the parity of the
/// step, so neither the order of sites nor the division of the interior matters.
///
/// A lattice that starts, or restarts from a checkpoint, has no previous step and no velocities of its peers. Its
/// corrections are given instead; they are stored where the step writes its velocities.
class AxisVelocities {
 public:
  AxisVelocities(const Links& links, std::size_t group_width);

  /// The velocities near the sites of a run.
  NearVelocities near(std::size_t run, bool is_odd) const {
    return {runs_.data() + run, more_.data(), read_in(is_odd), links_.stride};
  }
  /// Prefetches the data of a group that is assembled from pieces.
  [[gnu::always_inline]] void prefetch(std::size_t run, bool is_odd) const {
    const float* const first = read_in(is_odd) + links_.runs[run].first * group_width_;
    for (const auto place : runs_[run].place) __builtin_prefetch(first + place, 0, 3);
    for (auto k = runs_[run].first_more; k < runs_[run + 1].first_more; ++k)
      __builtin_prefetch(first + more_[k].place, 0, 3);
  }
  /// Where a step writes its own velocities.
  float* left_by(std::size_t axis, std::size_t slot, bool is_odd) {
    return left_in(is_odd) + axis * links_.stride + slot;
  }

  void give(std::size_t slot, bool is_odd, const std::array<double, 3>& correction);
  void take_given(std::size_t slot, bool is_odd, std::size_t count, float* const (&to)[3]) const;

  template <class Scalar>
  void fill_outgoing(const Links::Peer& peer, bool is_odd, Scalar* to) const {
    for (std::size_t k = 0; k < peer.along_axes; ++k) {
      const auto near = static_cast<std::size_t>(peer.near[k]);
      *to++ =
          static_cast<Scalar>(left_in(is_odd)[axis_of(near / links_.stride) * links_.stride + near % links_.stride]);
    }
  }
  template <class Scalar>
  void take_incoming(const Links::Peer& peer, bool is_odd, const Scalar* from) {
    float* to = left_in(is_odd) + 3 * links_.stride + peer.first_ghost;
    for (std::size_t k = 0; k < peer.along_axes; ++k) *to++ = static_cast<float>(*from++);
  }

  std::size_t bytes() const {
    return 2 * velocities_[0].size() * sizeof(float) + runs_.size() * sizeof(AxisNeighbours) +
           more_.size() * sizeof(Piece);
  }

 private:
  static constexpr std::size_t padding = most_directions;  ///< at least a group: read beside a piece, and not used
  static std::size_t axis_of(std::size_t direction) { return (direction - 1) / 2; }
  const float* read_in(bool is_odd) const { return velocities_[is_odd ? 1 : 0].data() + padding; }
  const float* left_in(bool is_odd) const { return velocities_[is_odd ? 0 : 1].data() + padding; }
  float* left_in(bool is_odd) { return velocities_[is_odd ? 0 : 1].data() + padding; }
  void add(AxisNeighbours& run, std::size_t slot, const Piece& link);
  static constexpr std::int64_t nowhere = -1;
  std::int64_t offset_of(std::size_t direction, std::int64_t link) const;

  const Links& links_;
  const std::size_t group_width_;
  std::array<std::vector<float>, 2> velocities_;  ///< read in even steps; read in odd steps
  std::vector<AxisNeighbours> runs_;              ///< one more at the end
  std::vector<Piece> more_;
};

}  // namespace weft::lattice::detail
