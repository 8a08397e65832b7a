// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
  AxisVelocities(const Links& links, std::size_t group_width);

  /// Of an axis, what a run whose links have constant offsets has near its sites from `slot` on.
  NearVelocities near(std::size_t axis, std::size_t run, std::size_t slot, bool is_odd) const;
  /// What a group that is put together from pieces has near its sites.
  AxisPieces near(std::size_t run, bool is_odd) const {
    return {pieces_.data() + first_piece_[run], first_piece_[run + 1] - first_piece_[run], read_in(is_odd),
            links_.stride};
  }
  /// Asks memory for that.
  [[gnu::always_inline]] void prefetch(std::size_t run, bool is_odd) const {
    for (std::uint32_t k = first_piece_[run]; k < first_piece_[run + 1]; ++k) {
      const auto& piece = pieces_[k];
      if (piece.lanes == 0 || piece.place == AxisPieces::nowhere) continue;
      __builtin_prefetch(read_in(is_odd) + piece.place, 0, 3);
    }
  }
  /// Where a step leaves its own.
  float* left_by(std::size_t axis, std::size_t slot, bool is_odd) {
    return left_in(is_odd) + axis * links_.stride + slot;
  }

  void give(std::size_t slot, bool is_odd, const std::array<double, 3>& correction);
  void take_given(std::size_t slot, bool is_odd, std::size_t count, float* const (&to)[3]) const;

  template <class Scalar>
  void fill_outgoing(const Links::Peer& peer, bool is_odd, Scalar* to) const {
    for (std::size_t k = 0; k < peer.along_axes; ++k) {
      const auto near = static_cast<std::size_t>(peer.near[k]);
      *to++ = left_in(is_odd)[axis_of(near / links_.stride) * links_.stride + near % links_.stride];
    }
  }
  template <class Scalar>
  void take_incoming(const Links::Peer& peer, bool is_odd, const Scalar* from) {
    float* to = left_in(is_odd) + 3 * links_.stride + peer.first_ghost;
    for (std::size_t k = 0; k < peer.along_axes; ++k) *to++ = static_cast<float>(*from++);
  }

  std::size_t bytes() const {
    return 2 * velocities_[0].size() * sizeof(float) + pieces_.size() * sizeof(Piece) +
           first_piece_.size() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::size_t padding = most_directions;  ///< no less than a group: read beside a piece, and not used
  static std::size_t axis_of(std::size_t direction) { return (direction - 1) / 2; }
  const float* read_in(bool is_odd) const { return velocities_[is_odd ? 1 : 0].data() + padding; }
  const float* left_in(bool is_odd) const { return velocities_[is_odd ? 0 : 1].data() + padding; }
  float* left_in(bool is_odd) { return velocities_[is_odd ? 0 : 1].data() + padding; }
  std::int32_t place_of(std::size_t direction, std::int64_t link) const;

  const Links& links_;
  std::array<std::vector<float>, 2> velocities_;  ///< read in even steps, in odd ones
  /// By run. Of one with constant offsets a piece for each direction, whose place is less the site's slot.
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> first_piece_;
};

}  // namespace weft::lattice::detail
