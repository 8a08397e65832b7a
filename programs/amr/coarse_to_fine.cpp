// SPDX-License-Identifier: BSD-3-Clause
#include "amr/coarse_to_fine.hpp"

#include <algorithm>

#include "amr/transfer.hpp"

namespace weft::amr {
namespace {

Key fine_key(std::size_t index, const Direction& d) {
  return Key{index} * Direction::count + static_cast<Key>(d.number());
}

// Visits the directions of a fine block whose ghosts come from the coarser level: f(direction, coarse key, coarse
// cells).
template <class Visit>
void for_each_open_side(const Tree& tree, const BlockKey& fine, const Visit& visit) {
  const int n = tree.domain().cells;
  const bool all = tree.feeds_finer(fine);
  for (int number = 0; number < Direction::count; ++number) {
    const auto d = Direction::of(number);
    if (number == Direction::self || (d.order() > 1 && !all)) continue;
    const auto beside = tree.neighbour(fine, d);
    if (beside.kind != Neighbour::Kind::coarser) continue;
    auto box = source_box(d, n);  // of the fine block that does not exist
    for (std::size_t a = 0; a < 3; ++a) {
      box.first[a] = ((beside.key.at[a] & 1) * n + box.first[a]) / 2;
      box.count[a] /= 2;
    }
    visit(d, beside.key.parent(), box);
  }
}

// Blocks of the fine level that this rank owns, or may have to send data to; ascending.
std::vector<std::size_t> concerned(const Hierarchy& hierarchy, int fine_level) {
  const auto& tree = hierarchy.tree();
  std::vector<std::size_t> all;
  for (const auto& block : hierarchy.local(fine_level)) all.push_back(block.index);
  for (const auto& block : hierarchy.local(fine_level - 1)) {
    if (!tree.feeds_finer(block.key)) continue;
    for (int d = 0; d < Direction::count; ++d) {
      const auto beside = tree.neighbour(block.key, Direction::of(d));
      if (beside.kind != Neighbour::Kind::block || !tree.is_refined(beside.key)) continue;
      for (int octant = 0; octant < 8; ++octant) all.push_back(*tree.find(beside.key.child(octant)));
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

CoarseToFine::CoarseToFine(const Hierarchy& hierarchy, int fine_level, int numbers, const TrafficMaker& traffic)
    : traffic_(traffic(hierarchy.transport(), "coarse to fine")) {
  const auto& tree = hierarchy.tree();
  const auto coarse = hierarchy.local(fine_level - 1), fine = hierarchy.local(fine_level);
  pieces_.resize(coarse.size());
  sends_.resize(coarse.size());
  ghosts_.resize(fine.size());
  const auto doubles = [&](const CellBox& box) { return static_cast<std::size_t>(8 * box.cells() * numbers); };
  const auto owner_of = [&](const BlockKey& key) { return tree.block(key.level, *tree.find(key)).owner; };
  const auto me = hierarchy.transport().rank();

  std::size_t received = 0, sent = 0;
  const auto blocks = tree.level(fine_level);
  const auto mine = concerned(hierarchy, fine_level);
  for (const auto b : mine)
    for_each_open_side(tree, blocks[b].key, [&](const Direction&, const BlockKey& from, const CellBox& box) {
      if (blocks[b].owner == me)
        received += doubles(box);
      else if (owner_of(from) == me)
        sent += doubles(box);
    });
  received_.resize(received);
  sent_.resize(sent);

  double *next_received = received_.data(), *next_sent = sent_.data();
  for (const auto b : mine)
    for_each_open_side(tree, blocks[b].key, [&](const Direction& d, const BlockKey& from, const CellBox& box) {
      const bool needs = blocks[b].owner == me;
      const int source = owner_of(from);
      const auto here = hierarchy.local_of(fine_level - 1, *tree.find(from));
      if (needs) {
        ghosts_[static_cast<std::size_t>(hierarchy.local_of(fine_level, b))].push_back(
            {ghost_box(d, hierarchy.shape().n), next_received});
        if (source == me)
          pieces_[static_cast<std::size_t>(here)].push_back({box, next_received});
        else
          traffic_->receive(source, fine_key(b, d), contiguous(std::span(next_received, doubles(box))));
        next_received += doubles(box);
      } else if (source == me) {
        const auto c = static_cast<std::size_t>(here);
        pieces_[c].push_back({box, next_sent});
        sends_[c].push_back(
            traffic_->send(blocks[b].owner, fine_key(b, d), contiguous(std::span(next_sent, doubles(box)))));
        next_sent += doubles(box);
      }
    });
  traffic_->commit();
}

CellBox octant_box(int octant, int n) {
  const int half = n / 2;
  return {{(octant & 1) * half, (octant >> 1 & 1) * half, (octant >> 2 & 1) * half}, {half, half, half}};
}

Restriction::Restriction(const Hierarchy& hierarchy, int fine_level, int first_field, int fields,
                         const TrafficMaker& traffic)
    : shape_(hierarchy.shape()), first_field_(first_field), fields_(fields),
      traffic_(traffic(hierarchy.transport(), "restriction")) {
  const auto& tree = hierarchy.tree();
  const auto coarse = hierarchy.local(fine_level - 1), fine = hierarchy.local(fine_level);
  const int n = shape_.n, half = n / 2;
  const auto doubles = static_cast<std::size_t>(half * half * half * fields);
  const auto parent_of = [&](const BlockKey& key) { return *tree.find(key.parent()); };
  std::size_t remote = 0;
  for (const auto& block : fine) remote += hierarchy.is_mine(fine_level - 1, parent_of(block.key)) ? 0 : 1;
  sent_.resize(remote * doubles);
  double* next = sent_.data();
  for (const auto& block : fine) {
    from_.push_back(block.field(first_field));
    const auto parent = parent_of(block.key);
    const auto here = hierarchy.local_of(fine_level - 1, parent);
    if (here >= 0) {
      const auto at = octant_box(block.key.octant(), n).first;
      targets_.push_back({&coarse[static_cast<std::size_t>(here)].cell(first_field, at[0], at[1], at[2]),
                          shape_.row,
                          shape_.plane,
                          shape_.field,
                          {}});
    } else {
      const auto part = traffic_->send(tree.block(fine_level - 1, parent).owner, Key{block.index},
                                       contiguous(std::span(next, doubles)));
      targets_.push_back({next, half, std::ptrdiff_t{half} * half, std::ptrdiff_t{half} * half * half, part});
      next += doubles;
    }
  }
  for (const auto& block : coarse)
    for (int octant = 0; octant < 8; ++octant) {
      const auto child = tree.find(block.key.child(octant));
      if (!child || hierarchy.is_mine(fine_level, *child)) continue;
      traffic_->receive(tree.block(fine_level, *child).owner, Key{*child},
                        region_of(block, first_field, fields, octant_box(octant, n)));
    }
  traffic_->commit();
}

void Restriction::give(std::size_t fine_local) {
  const auto& t = targets_[fine_local];
  for (int f = 0; f < fields_; ++f)
    restrict_block(from_[fine_local] + f * shape_.field, shape_, t.to + f * t.field, t.row, t.plane);
  if (t.part) traffic_->ready(*t.part);
}

}  // namespace weft::amr
