// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/axis_velocities.hpp"

#include <algorithm>
#include <bit>

namespace weft::lattice::detail {

// Behind the last group a kernel may read a few numbers that it does not use.
AxisVelocities::AxisVelocities(const Links& links) : links_(links) {
  for (auto& v : velocities_) v.assign(3 * links.stride + links.ghosts + group_width<float>, 0);
}

const float* AxisVelocities::neighbour(std::size_t direction, std::ptrdiff_t at, bool is_odd) const {
  const auto place = static_cast<std::size_t>(at), ghosts = links_.directions * links_.stride;
  if (place >= ghosts) return stream(is_odd, 3) + (place - ghosts);
  if (place / links_.stride == direction) return stream(is_odd, axis_of(direction)) + place % links_.stride;
  return nullptr;
}

NearVelocities AxisVelocities::near(std::size_t axis, std::size_t slot, bool is_odd,
                                    const std::int32_t* offsets) const {
  const auto beside = [&](std::size_t direction) {
    return neighbour(direction, static_cast<std::ptrdiff_t>(slot) + offsets[direction - 1], is_odd);
  };
  return {stream(is_odd, axis) + slot, beside(2 * axis + 2), beside(2 * axis + 1)};
}

void AxisVelocities::gather(std::size_t axis, std::size_t slot, bool is_odd, std::span<const Piece> pieces,
                            float* before, float* after, std::size_t width) const {
  std::uint32_t no_before = 0, no_after = 0;  // lanes
  for (const auto& piece : pieces) {
    if (piece.direction > Links::axis_directions || axis_of(piece.direction) != axis) continue;
    const bool is_after = piece.direction % 2 == 1;
    const int first = std::countr_zero(piece.lanes), end = std::bit_width(piece.lanes);
    const float* const from = neighbour(piece.direction, piece.place + first, is_odd);
    if (from == nullptr) {
      (is_after ? no_after : no_before) |= piece.lanes;
      continue;
    }
    float* const to = is_after ? after : before;
    for (int l = first; l < end; ++l)
      if ((piece.lanes >> l & 1) != 0) to[l] = from[l - first];
  }
  if ((no_before | no_after) == 0) return;
  const float* const own = stream(is_odd, axis) + slot;
  for (std::size_t l = 0; l < width; ++l) {
    const bool lacks_before = (no_before >> l & 1) != 0, lacks_after = (no_after >> l & 1) != 0;
    if (lacks_before) before[l] = lacks_after ? own[l] : 2 * own[l] - after[l];
    if (lacks_after) after[l] = lacks_before ? own[l] : 2 * own[l] - before[l];
  }
}

void AxisVelocities::give(std::size_t slot, bool is_odd, const std::array<double, 3>& correction) {
  for (std::size_t a = 0; a < 3; ++a) *left_by(a, slot, is_odd) = static_cast<float>(correction[a]);
}

void AxisVelocities::take_given(std::size_t slot, bool is_odd, std::size_t count, float* const (&to)[3]) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const float* const given = velocities_[is_odd ? 0 : 1].data() + a * links_.stride + slot;
    std::copy_n(given, count, to[a]);
  }
}

}  // namespace weft::lattice::detail
