// SPDX-License-Identifier: BSD-3-Clause
#include "fft/boxes.hpp"

#include <algorithm>
#include <numeric>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft {
namespace {

bool is_empty(const Box& box) {
  return std::ranges::any_of(box.axes, [](const Block& axis) { return axis.count == 0; });
}

std::size_t points_of(const Box& box) { return box.axes[0].count * box.axes[1].count * box.axes[2].count; }

std::string list(const Box& box) {
  std::string text;
  for (const auto axis : box.order) text += (text.empty() ? "" : ", ") + std::to_string(axis);
  return text;
}

[[noreturn]] void refuse(const std::string& why) { throw Error(why, true); }

// Checks a box by itself, and sets the row that was left out.
Box checked(Box box, std::size_t rank, const Size3& grid, const std::string& what) {
  const auto who = "The box of the " + what + " on rank " + std::to_string(rank);
  auto sorted = box.order;
  std::ranges::sort(sorted);
  if (sorted != std::array<std::size_t, 3>{0, 1, 2})
    refuse(who + " has the order of axes (" + list(box) + "). Name each of 0, 1 and 2 once, the outermost first.");
  const auto length = box.axes[box.order[2]].count;
  if (box.row == 0 || is_empty(box)) box.row = length;
  if (is_empty(box)) return box;
  for (std::size_t a = 0; a < 3; ++a)
    if (const auto& axis = box.axes[a]; axis.first >= grid[a] || axis.count > grid[a] - axis.first)
      refuse(who + ", " + text_of(box) + ", is not inside of the " + what + " of " + text_of(grid) +
             " points. Give it points from 0 up to that size along each axis.");
  if (box.row < length)
    refuse(who + " has rows of " + std::to_string(length) + " points, but only " + std::to_string(box.row) +
           " values from one row to the next. Use at least as many, or 0 (no padding).");
  return box;
}

// Sorted by where they begin along x, only boxes that share some x are compared.
void check_disjoint(const std::vector<Box>& boxes, const std::string& what) {
  std::vector<std::size_t> ranks(boxes.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  std::erase_if(ranks, [&](std::size_t r) { return is_empty(boxes[r]); });
  const auto from = [&](std::size_t r) { return boxes[r].axes[0].first; };
  std::ranges::stable_sort(ranks, {}, from);
  for (auto a = ranks.begin(); a != ranks.end(); ++a)
    for (auto b = a + 1; b != ranks.end() && from(*b) < from(*a) + boxes[*a].axes[0].count; ++b) {
      if (const auto common = common_points(boxes[*a], boxes[*b]); is_empty({.axes = common})) continue;
      const auto [one, other] = std::minmax(*a, *b);
      refuse("The boxes of the " + what + " on ranks " + std::to_string(one) + " and " + std::to_string(other) +
             " overlap (" + text_of(boxes[one]) + " and " + text_of(boxes[other]) + "). Give each point to one rank.");
    }
}

}  // namespace

std::string text_of(const Box& box) {
  std::string text;
  for (const auto& [first, count] : box.axes)
    text += (text.empty() ? "[" : " x [") + std::to_string(first) + ", " + std::to_string(first + count) + ")";
  return text;
}

std::array<Block, 3> common_points(const Box& a, const Box& b) {
  std::array<Block, 3> common;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto &one = a.axes[k], &other = b.axes[k];
    const auto first = std::max(one.first, other.first);
    const auto end = std::min(one.first + one.count, other.first + other.count);
    common[k] = {first, end > first ? end - first : 0};
  }
  return common;
}

bool same_layout(const Box& a, const Box& b) {
  if (is_empty(a) || is_empty(b)) return is_empty(a) && is_empty(b);
  for (std::size_t k = 0; k < 3; ++k)
    if (a.axes[k].first != b.axes[k].first || a.axes[k].count != b.axes[k].count) return false;
  return a.order == b.order && a.row == b.row;
}

std::vector<Box> gather_boxes(Transport& transport, const std::optional<Box>& mine, const Size3& grid,
                              const std::string& what) {
  struct Given {
    Box box;
    std::size_t is_given;  // no padding, which would be sent uninitialised
  };
  const auto all = all_gather(transport, Given{mine.value_or(Box{}), mine ? 1U : 0U});
  const auto differs = std::ranges::find_if(all, [&](const Given& g) { return g.is_given != all[0].is_given; });
  if (differs != all.end()) {
    const auto other = std::to_string(differs - all.begin());
    const auto [with, without] = all[0].is_given != 0 ? std::pair{std::string("0"), other} : std::pair{other, "0"};
    refuse("Rank " + with + " gives a box of the " + what + ", and rank " + without +
           " none. Give one on all ranks (where there are no points, an empty one), or on none.");
  }
  std::vector<Box> boxes;
  if (all[0].is_given == 0) return boxes;
  std::size_t points = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    boxes.push_back(checked(all[r].box, r, grid, what));
    points += points_of(boxes.back());
  }
  check_disjoint(boxes, what);
  if (const auto needed = grid[0] * grid[1] * grid[2]; points < needed)
    refuse("The boxes of the " + what + " have " + std::to_string(points) + " of the " + std::to_string(needed) +
           " points of " + text_of(grid) + " (" + std::to_string(needed - points) +
           " have no rank). Give each point to one rank.");
  return boxes;
}

}  // namespace weft::fft
