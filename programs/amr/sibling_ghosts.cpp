// SPDX-License-Identifier: BSD-3-Clause
#include "amr/sibling_ghosts.hpp"

#include <cstring>

namespace weft::amr {
namespace {

// If the length of rows is a constant, a row is a few vector moves and no call.
template <std::size_t nx>
void copy_rows(double* to, const double* from, const std::array<int, 3>& count, const Shape& shape, int fields) {
  for (int f = 0; f < fields; ++f)
    for (int k = 0; k < count[2]; ++k)
      for (int j = 0; j < count[1]; ++j) {
        const auto at = f * shape.field + k * shape.plane + j * shape.row;
        std::memcpy(to + at, from + at, nx * sizeof(double));
      }
}

void copy_box(double* to, const double* from, const std::array<int, 3>& count, const Shape& shape, int fields) {
  const auto copy = count[0] == ghosts ? copy_rows<ghosts>
                    : count[0] == 8    ? copy_rows<8>
                    : count[0] == 16   ? copy_rows<16>
                                       : copy_rows<32>;
  copy(to, from, count, shape, fields);
}

// By sender first: parts that become ready together are neighbours, so Grouping::by_size sends them together.
Key key_of(std::size_t sender, const Direction& to_receiver_ghosts) {
  return Key{sender} * Direction::count + static_cast<Key>(to_receiver_ghosts.number());
}

}  // namespace

CellBox ghost_box(const Direction& direction, int n) {
  CellBox box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.first[a] = direction.d[a] < 0 ? -ghosts : direction.d[a] > 0 ? n : 0;
    box.count[a] = direction.d[a] == 0 ? n : ghosts;
  }
  return box;
}

CellBox source_box(const Direction& direction, int n) {
  auto box = ghost_box(direction, n);
  for (std::size_t a = 0; a < 3; ++a) box.first[a] -= direction.d[a] * n;
  return box;
}

Region region_of(const BlockData& block, int first_field, int fields, const CellBox& box) {
  const auto& s = *block.shape;
  const auto count = [&](std::size_t a) { return static_cast<std::size_t>(box.count[a]); };
  const auto stride = [](std::ptrdiff_t doubles) { return static_cast<std::size_t>(doubles) * sizeof(double); };
  return strided(&block.cell(first_field, box.first[0], box.first[1], box.first[2]),
                 {{static_cast<std::size_t>(fields), stride(s.field)},
                  {count(2), stride(s.plane)},
                  {count(1), stride(s.row)},
                  {count(0), sizeof(double)}});
}

SiblingGhosts::SiblingGhosts(const Hierarchy& hierarchy, int level, int first_field, int fields, Reach reach,
                             const TrafficMaker& traffic, bool accepts)
    : shape_(hierarchy.shape()), fields_(fields), traffic_(traffic(hierarchy.transport(), "siblings", accepts)) {
  const auto& tree = hierarchy.tree();
  const auto local = hierarchy.local(level);
  const int n = shape_.n;
  copies_.resize(local.size());
  sends_.resize(local.size());
  receives_.resize(local.size());
  filled_.resize(local.size());
  const auto wants = [&](const BlockKey& receiver, const Direction& d) {
    if (d.number() == Direction::self) return false;
    return d.order() == 1 || reach == Reach::all ||
           (reach == Reach::faces_or_all_that_feed && tree.feeds_finer(receiver));
  };
  for (std::size_t b = 0; b < local.size(); ++b) {
    const auto& block = local[b];
    bool remote = false;
    for (int number = 0; number < Direction::count; ++number) {
      const auto d = Direction::of(number);
      if (number == Direction::self) continue;
      const auto beside = tree.neighbour(block.key, d);
      if (beside.kind != Neighbour::Kind::block) continue;
      const int owner = tree.block(level, beside.index).owner;
      const int there = hierarchy.local_of(level, beside.index);
      if (wants(block.key, d)) {
        filled_[b] |= 1U << number;
        const auto to = ghost_box(d, n), from = source_box(d, n);
        if (there >= 0) {
          const auto& source = local[static_cast<std::size_t>(there)];
          copies_[b].push_back({&block.cell(first_field, to.first[0], to.first[1], to.first[2]),
                                &source.cell(first_field, from.first[0], from.first[1], from.first[2]), to.count});
        } else {
          receives_[b].push_back(
              traffic_->receive(owner, key_of(beside.index, d), region_of(block, first_field, fields, to)));
          remote = true;
        }
      }
      const auto back = d.opposite();  // as the neighbour sees this block
      if (there < 0 && wants(beside.key, back)) {
        sends_[b].push_back(traffic_->send(owner, key_of(block.index, back),
                                           region_of(block, first_field, fields, source_box(back, n))));
        remote = true;
      }
    }
    (remote ? outer_ : inner_).push_back(b);
  }
  traffic_->commit();
}

void SiblingGhosts::ready_all() {
  for (std::size_t b = 0; b < sends_.size(); ++b) ready(b);
}

void SiblingGhosts::copy(std::size_t local) const {
  for (const auto& c : copies_[local]) copy_box(c.to, c.from, c.count, shape_, fields_);
}

}  // namespace weft::amr
