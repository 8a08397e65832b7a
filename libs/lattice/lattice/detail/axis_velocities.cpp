// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/axis_velocities.hpp"

#include <algorithm>
#include <bit>

namespace weft::lattice::detail {

AxisVelocities::AxisVelocities(const Links& links, std::size_t group_width) : links_(links) {
  for (auto& v : velocities_) v.assign(3 * links.stride + links.ghosts + 2 * padding, 0);
  for (std::size_t k = 0; k + 1 < links.runs.size(); ++k) {
    const auto& run = links.runs[k];
    first_piece_.push_back(static_cast<std::uint32_t>(pieces_.size()));
    const auto slot = static_cast<std::int32_t>(run.first * group_width);
    for (std::size_t j = 1; j <= Links::axis_directions && run.pieces == 0; ++j) {
      const auto place = place_of(j, slot + links.offsets[run.start + j - 1]);
      pieces_.push_back({place == AxisPieces::nowhere ? place : place - slot, 0, static_cast<std::uint8_t>(j)});
    }
    for (std::size_t p = run.start; p < run.start + run.pieces; ++p) {
      const auto& piece = links.pieces[p];
      if (piece.direction > Links::axis_directions) continue;
      const auto lane = std::countr_zero(piece.lanes);
      const auto place = place_of(piece.direction, piece.place + lane);
      pieces_.push_back({place == AxisPieces::nowhere ? place : place - lane, piece.lanes, piece.direction});
    }
  }
  first_piece_.push_back(static_cast<std::uint32_t>(pieces_.size()));
  pieces_.shrink_to_fit();
}

// Of the velocity of the neighbour that a link along an axis leads to; nowhere at a wall or an opening.
std::int32_t AxisVelocities::place_of(std::size_t direction, std::int64_t link) const {
  const auto place = static_cast<std::size_t>(link), ghosts = links_.directions * links_.stride;
  if (place >= ghosts) return static_cast<std::int32_t>(3 * links_.stride + (place - ghosts));
  if (place / links_.stride != direction) return AxisPieces::nowhere;
  return static_cast<std::int32_t>(axis_of(direction) * links_.stride + place % links_.stride);
}

NearVelocities AxisVelocities::near(std::size_t axis, std::size_t run, std::size_t slot, bool is_odd) const {
  const float* const all = read_in(is_odd);
  const Piece* const of_run = pieces_.data() + first_piece_[run];
  const auto beside = [&](std::size_t direction) -> const float* {
    const auto place = of_run[direction - 1].place;
    return place == AxisPieces::nowhere ? nullptr : all + (static_cast<std::ptrdiff_t>(slot) + place);
  };
  return {all + axis * links_.stride + slot, beside(2 * axis + 2), beside(2 * axis + 1)};
}

void AxisVelocities::give(std::size_t slot, bool is_odd, const std::array<double, 3>& correction) {
  for (std::size_t a = 0; a < 3; ++a) *left_by(a, slot, is_odd) = static_cast<float>(correction[a]);
}

void AxisVelocities::take_given(std::size_t slot, bool is_odd, std::size_t count, float* const (&to)[3]) const {
  for (std::size_t a = 0; a < 3; ++a) std::copy_n(left_in(is_odd) + a * links_.stride + slot, count, to[a]);
}

}  // namespace weft::lattice::detail
