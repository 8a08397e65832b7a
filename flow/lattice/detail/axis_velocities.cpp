// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/axis_velocities.hpp"

#include <algorithm>
#include <bit>

namespace weft::lattice::detail {

AxisVelocities::AxisVelocities(const Links& links, std::size_t group_width) : links_(links), group_width_(group_width) {
  for (auto& v : velocities_) v.assign(3 * links.stride + links.ghosts + 2 * padding, 0);
  const auto all = static_cast<std::uint16_t>((1U << group_width) - 1);
  for (std::size_t k = 0; k + 1 < links.runs.size(); ++k) {
    const auto& run = links.runs[k];
    const auto slot = run.first * group_width;
    AxisNeighbours near{};
    near.first_more = static_cast<std::uint32_t>(more_.size());
    for (std::size_t j = 1; j <= Links::axis_directions; ++j) {
      const auto place = static_cast<std::int32_t>(slot) + links.offsets[run.start + j - 1];
      if (static_cast<std::size_t>(place) < links.first_line)
        add(near, slot, {place, all, static_cast<std::uint8_t>(j), 0});
    }
    for (std::size_t p = run.pieces; p < links.runs[k + 1].pieces; ++p)
      if (links.pieces[p].direction <= Links::axis_directions) add(near, slot, links.pieces[p]);
    runs_.push_back(near);
  }
  runs_.push_back({{}, {}, {}, static_cast<std::uint32_t>(more_.size())});
  more_.shrink_to_fit();
}

void AxisVelocities::add(AxisNeighbours& run, std::size_t slot, const Piece& link) {
  const std::size_t d = link.direction - 1U;
  const auto lane = std::countr_zero(link.lanes);
  const auto place = offset_of(link.direction, link.place + lane);
  if (place == nowhere) {
    run.missing[d] |= link.lanes;
    return;
  }
  const auto from_slot = static_cast<std::int32_t>(place - lane - static_cast<std::int64_t>(slot));
  if (run.taken[d] == 0) {
    run.place[d] = from_slot;
    run.taken[d] = link.lanes;
  } else {
    more_.push_back({from_slot, link.lanes, link.direction, 0});
  }
}

// The location of the velocity of the neighbour along an axis link; none at a wall or an opening.
std::int64_t AxisVelocities::offset_of(std::size_t direction, std::int64_t link) const {
  const auto place = static_cast<std::size_t>(link), ghosts = links_.directions * links_.stride;
  if (place >= ghosts) return static_cast<std::int64_t>(3 * links_.stride + (place - ghosts));
  if (place / links_.stride != direction) return nowhere;
  return static_cast<std::int64_t>(axis_of(direction) * links_.stride + place % links_.stride);
}

void AxisVelocities::give(std::size_t slot, bool is_odd, const std::array<double, 3>& correction) {
  for (std::size_t a = 0; a < 3; ++a) *left_by(a, slot, is_odd) = static_cast<float>(correction[a]);
}

void AxisVelocities::take_given(std::size_t slot, bool is_odd, std::size_t count, float* const (&to)[3]) const {
  for (std::size_t a = 0; a < 3; ++a) std::copy_n(left_in(is_odd) + a * links_.stride + slot, count, to[a]);
}

}  // namespace weft::lattice::detail
