// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lattice/detail/links.hpp"
#include "lattice/detail/row_kernel.hpp"

namespace weft::lattice::detail {

/// What the correction of advection (see Advection) is made of: each site's velocity, one stream of single precision an
/// axis, and behind the streams a number for each ghost along an axis. A step reads those of the step before, of the
/// two neighbours along the axis, and leaves its own in a second array. The arrays take turns by the step's parity, so
/// neither the order of sites nor the cut of the interior matters.
///
/// A lattice that begins, or goes on from a checkpoint, has no earlier step, and its peers' velocities are not there.
/// Its corrections are given instead; they wait where the step leaves its velocities.
class AxisVelocities {
 public:
  explicit AxisVelocities(const Links& links);

  /// Of an axis, what a run whose links have constant offsets has near its sites from `slot` on.
  NearVelocities near(std::size_t axis, std::size_t slot, bool is_odd, const std::int32_t* offsets) const;
  /// The same of a group that is put together from pieces, gathered in `room`.
  template <std::size_t width>
  NearVelocities near(std::size_t axis, std::size_t slot, bool is_odd, std::span<const Piece> pieces,
                      float (&room)[2][width]) const {
    gather(axis, slot, is_odd, pieces, room[0], room[1], width);
    return {stream(is_odd, axis) + slot, room[0], room[1]};
  }
  /// Where a step leaves its own.
  float* left_by(std::size_t axis, std::size_t slot, bool is_odd) {
    return velocities_[is_odd ? 0 : 1].data() + axis * links_.stride + slot;
  }

  void give(std::size_t slot, bool is_odd, const std::array<double, 3>& correction);
  void take_given(std::size_t slot, bool is_odd, std::size_t count, float* const (&to)[3]) const;

  template <class Scalar>
  void fill_outgoing(const Links::Peer& peer, bool is_odd, Scalar* to) const {
    for (std::size_t k = 0; k < peer.along_axes; ++k) {
      const auto near = static_cast<std::size_t>(peer.near[k]);
      *to++ = velocities_[is_odd ? 0 : 1][axis_of(near / links_.stride) * links_.stride + near % links_.stride];
    }
  }
  template <class Scalar>
  void take_incoming(const Links::Peer& peer, bool is_odd, const Scalar* from) {
    float* to = velocities_[is_odd ? 0 : 1].data() + 3 * links_.stride + peer.first_ghost;
    for (std::size_t k = 0; k < peer.along_axes; ++k) *to++ = static_cast<float>(*from++);
  }

  std::size_t bytes() const { return 2 * velocities_[0].size() * sizeof(float); }

 private:
  static std::size_t axis_of(std::size_t direction) { return (direction - 1) / 2; }
  const float* stream(bool is_odd, std::size_t axis) const {
    return velocities_[is_odd ? 1 : 0].data() + axis * links_.stride;
  }
  // Of the neighbour that a link along an axis leads to; null at a wall or an opening.
  const float* neighbour(std::size_t direction, std::ptrdiff_t place, bool is_odd) const;
  void gather(std::size_t axis, std::size_t slot, bool is_odd, std::span<const Piece> pieces, float* before,
              float* after, std::size_t width) const;

  const Links& links_;
  std::array<std::vector<float>, 2> velocities_;  // read in even steps, in odd ones
};

}  // namespace weft::lattice::detail
