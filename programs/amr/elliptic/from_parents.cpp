// SPDX-License-Identifier: BSD-3-Clause
#include "amr/elliptic/from_parents.hpp"

#include "amr/coarse_to_fine.hpp"

namespace weft::amr {

FromParents::FromParents(const Hierarchy& hierarchy, int fine_level, const TrafficMaker& traffic)
    : hierarchy_(&hierarchy), level_(fine_level), traffic_(traffic(hierarchy.transport(), "from parents")) {
  const auto& tree = hierarchy.tree();
  const auto blocks = tree.level(fine_level);
  const int me = hierarchy.transport().rank();
  const auto n = static_cast<std::size_t>(hierarchy.shape().n), cells = n * n * n;
  const auto parent_of = [&](std::size_t b) { return *tree.find(blocks[b].key.parent()); };
  const auto source_of = [&](std::size_t b) { return tree.block(fine_level - 1, parent_of(b)).owner; };
  std::size_t sent = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) sent += source_of(b) == me && blocks[b].owner != me ? cells : 0;
  sent_.resize(sent);
  received_.resize(hierarchy.local(fine_level).size() * cells);
  auto* next = sent_.data();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const bool mine = blocks[b].owner == me;
    const int source = source_of(b);
    if (!mine && source != me) continue;
    double* here = mine ? received_.data() + static_cast<std::size_t>(hierarchy.local_of(fine_level, b)) * cells : next;
    if (source == me) {
      children_.push_back(
          {static_cast<std::size_t>(hierarchy.local_of(fine_level - 1, parent_of(b))), blocks[b].key.octant(), here});
      if (mine) continue;
      sends_.push_back(traffic_->send(blocks[b].owner, Key{b}, contiguous(std::span(here, cells))));
      next += cells;
    } else {
      traffic_->receive(source, Key{b}, contiguous(std::span(here, cells)));
    }
  }
  traffic_->commit();
}

void FromParents::add(int coarse_field, int fine_field) {
  const auto& shape = hierarchy_->shape();
  const int n = shape.n;
  traffic_->start();
  for (const auto& child : children_) {
    const auto first = octant_box(child.octant, n).first;
    const double* c =
        &hierarchy_->local(level_ - 1)[child.coarse_local].cell(coarse_field, first[0], first[1], first[2]);
    double* to = child.to;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          // The coarse cell that contains the fine one has three quarters of the weight along each axis, the nearer
          // neighbour one.
          const double* at = c + shape.at(i / 2, j / 2, k / 2);
          const std::ptrdiff_t x = i % 2 ? 1 : -1, y = j % 2 ? shape.row : -shape.row,
                               z = k % 2 ? shape.plane : -shape.plane;
          const double low = 0.75 * (0.75 * at[0] + 0.25 * at[x]) + 0.25 * (0.75 * at[y] + 0.25 * at[x + y]);
          const double high =
              0.75 * (0.75 * at[z] + 0.25 * at[x + z]) + 0.25 * (0.75 * at[y + z] + 0.25 * at[x + y + z]);
          *to++ = 0.75 * low + 0.25 * high;
        }
  }
  for (const auto part : sends_) traffic_->ready(part);
  traffic_->wait();
  const double* from = received_.data();
  for (const auto& block : hierarchy_->local(level_))
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) block.cell(fine_field, i, j, k) += *from++;
}

}  // namespace weft::amr
