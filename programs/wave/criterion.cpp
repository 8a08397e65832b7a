// SPDX-License-Identifier: BSD-3-Clause
#include "wave/criterion.hpp"

#include <algorithm>
#include <cmath>

#include "wave/kernels.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::wave {
namespace {

using amr::Direction;

bool gradient(const double* x, const std::array<std::ptrdiff_t, 3>& stride, double threshold) {
  double largest = 0;
  for (const auto s : stride) largest = std::max(largest, std::abs(x[s] - x[-s]));
  return largest > 2 * threshold;
}

bool loehner(const double* x, const std::array<std::ptrdiff_t, 3>& stride, double threshold, double floor) {
  constexpr double filter = 0.01;  // threshold of ripples, relative to the value itself
  double above = 0, below = 0;
  for (const auto s : stride) {
    const double second = x[s] - 2 * x[0] + x[-s];
    const double first = std::abs(x[s] - x[0]) + std::abs(x[0] - x[-s]) +
                         filter * (std::abs(x[s]) + 2 * std::abs(x[0]) + std::abs(x[-s])) + floor;
    above += second * second;
    below += first * first;
  }
  return above > threshold * threshold * below;
}

// Whether a block overlaps a region that requires its children.
bool lies_in(const amr::Domain& domain, const amr::BlockKey& key, const FixedRegion& region) {
  const auto corner = domain.corner_of(key);
  const double size = domain.spacing_of(key.level) * domain.cells;
  for (std::size_t a = 0; a < 3; ++a) {
    if (corner[a] >= region.high[a] || corner[a] + size <= region.low[a]) return false;
  }
  return key.level < region.level;
}

}  // namespace

std::uint32_t tags_of(const amr::Hierarchy& hierarchy, const amr::BlockData& block, const Refinement& refinement) {
  std::uint32_t tags = 0;
  for (const auto& region : refinement.regions) {
    if (lies_in(hierarchy.domain(), block.key, region)) tags |= 1U << Direction::self;
  }
  if (refinement.criterion == Refinement::Criterion::none) return tags;
  const auto& s = *block.shape;
  const std::array<std::ptrdiff_t, 3> stride{1, s.row, s.plane};
  const int n = s.n, buffer = std::min(refinement.buffer, n);
  const double* cells = block.field(u);
  // The directions in which a cell's buffer extends out of the block along one axis: bits 0 to 2 for -1, 0 and 1.
  const auto ways = [&](int i) { return 2U | (i < buffer ? 1U : 0U) | (i >= n - buffer ? 4U : 0U); };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double* x = cells + s.at(i, j, k);
        const bool tagged = refinement.criterion == Refinement::Criterion::gradient
                                ? gradient(x, stride, refinement.threshold)
                                : loehner(x, stride, refinement.threshold, refinement.floor);
        if (!tagged) continue;
        for (unsigned z = 0; z < 3; ++z)
          for (unsigned y = 0; y < 3; ++y) {
            if ((ways(k) >> z & ways(j) >> y & 1U) != 0) tags |= ways(i) << (9 * z + 3 * y);
          }
      }
  return tags;
}

amr::Tree wanted_tree(const amr::Hierarchy& hierarchy, const Refinement& refinement) {
  const auto& tree = hierarchy.tree();
  struct Tagged {
    amr::BlockKey key;
    std::uint32_t tags;
  };
  std::vector<Tagged> mine;
  for (int level = 0; level < std::min(tree.levels(), refinement.levels); ++level)
    for (const auto& block : hierarchy.local(level)) {
      if (const auto tags = tags_of(hierarchy, block, refinement); tags != 0) mine.push_back({block.key, tags});
    }
  std::vector<amr::BlockKey> wanted;
  for (const auto& [key, tags] : all_gather(hierarchy.transport(), mine))
    for (int d = 0; d < Direction::count; ++d) {
      if ((tags >> d & 1U) == 0) continue;
      const auto beside = tree.neighbour(key, Direction::of(d));
      if (beside.kind == amr::Neighbour::Kind::block) wanted.push_back(beside.key);
    }
  return amr::Tree(tree.domain(), amr::nest(tree.domain(), wanted), tree.ranks(), tree.curve());
}

}  // namespace weft::wave
