// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/halo.hpp"

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft {
namespace {

using Components = std::vector<std::size_t>;

void merge(Components& into, const Components& more) {
  Components all;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
  into = std::move(all);
}

}  // namespace

Halo::Halo(const CartesianGrid& grid, const HaloOptions& options) : grid_(grid), options_(options) {
  if (options.width == 0) throw Error("a halo has width 0. use 1 or more.", true);
  for (std::size_t a = 0; a < grid.dimensions(); ++a) {
    width_[a] = options.width;
    if (grid.is_linked(a) && options.width > grid.shortest(a))
      throw Error("a halo of width " + std::to_string(options.width) + " is wider than the shortest block along axis " +
                  std::to_string(a) + ", of " + std::to_string(grid.shortest(a)) +
                  " points (it would reach beyond the neighbour). use fewer ranks along this axis or a narrower halo.", true);
  }
}

std::size_t Halo::add(Field field) {
  const auto number = fields_.size();
  if (field.name.empty()) field.name = "field " + std::to_string(number);
  const auto refuse = [&](const std::string& why) { throw Error("'" + field.name + "' " + why, true); };
  if (field.element_bytes == 0 || field.components == 0 || field.site_stride == 0 || field.site_block == 0)
    refuse("has elements, components, points or blocks of size 0. use 1 or more.");
  if (field.layers == 0) field.layers = options_.width;
  if (field.layers < options_.width)
    refuse("has " + std::to_string(field.layers) + " layers of ghost points (the halo is " + std::to_string(options_.width) +
           " wide). allocate more or use a narrower halo.");
  Index layers{0, 0, 0};
  std::fill_n(layers.begin(), grid_.dimensions(), field.layers);
  fields_.emplace_back(field, grid_.block().count, layers);
  return number;
}

Halo Halo::with(const HaloOptions& options) const {
  Halo other(grid_, options);
  for (const auto& placed : fields_) other.add(placed.field());
  return other;
}

std::vector<std::size_t> Halo::wanted(std::size_t field, const Direction& direction) const {
  const auto& f = fields_[field].field();
  Components all(f.components), read;
  for (std::size_t c = 0; c < f.components; ++c) all[c] = c;
  if (options_.payload == HaloOptions::Payload::whole || !f.reads) return all;
  for (const auto c : all)
    if (f.reads(direction, c)) read.push_back(c);
  return read.empty() || options_.payload == HaloOptions::Payload::reduced ? read : all;
}

// The components that a ghost region needs in the round of `axis`: its own, and what later rounds pass on from it.
std::vector<std::size_t> Halo::carried(std::size_t field, const Direction& direction, std::size_t axis) const {
  if (axis + 1 >= grid_.dimensions()) return wanted(field, direction);
  Components result;
  for (int side = -1; side <= 1; ++side) {
    if (side != 0 && !grid_.is_linked(axis + 1)) continue;
    auto further = direction;
    further[axis + 1] = side;
    merge(result, carried(field, further, axis + 1));
  }
  return result;
}

Box Halo::ghosts(const Direction& d) const {
  const auto n = grid_.block().count;
  Box box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.count[a] = d[a] == 0 ? n[a] : width_[a];
    box.first[a] = d[a] < 0 ? 0 : d[a] == 0 ? width_[a] : width_[a] + n[a];
  }
  return box;
}

Box Halo::edge(const Direction& d) const {
  const auto n = grid_.block().count;
  auto box = ghosts(d);
  for (std::size_t a = 0; a < 3; ++a)
    if (d[a] != 0) box.first[a] = d[a] < 0 ? width_[a] : n[a];
  return box;
}

std::vector<Halo::Transfer> Halo::direct(std::size_t field) const {
  std::vector<Transfer> all;
  for (const auto& d : directions_of(grid_.dimensions()))
    if (const auto peer = grid_.neighbour(d))
      all.push_back({*peer, 0, d, edge(d), ghosts(d), wanted(field, opposite(d)), wanted(field, d)});
  return all;
}

// In the round of an axis, the face across it and, beside that face, the strips of ghosts that earlier rounds filled. If
// all carry the same components they are one part, else one each.
std::vector<Halo::Transfer> Halo::by_dimension(std::size_t field) const {
  std::vector<Transfer> all;
  int round = 0;
  for (std::size_t axis = 0; axis < grid_.dimensions(); ++axis) {
    if (!grid_.is_linked(axis)) continue;
    for (const int side : {-1, 1}) {
      Direction face{};
      face[axis] = side;
      const auto peer = grid_.neighbour(face);
      if (!peer) continue;
      std::vector<Transfer> strips;
      for (const auto& d : directions_of(axis + 1)) {  // the face itself comes first
        if (d[axis] != side || !grid_.neighbour(d)) continue;
        auto back = d;  // the same strip, as the neighbour sees it
        back[axis] = -side;
        auto send = ghosts(d);
        send.first[axis] = edge(face).first[axis];
        strips.push_back({*peer, round, d, send, ghosts(d), carried(field, back, axis), carried(field, d, axis)});
      }
      auto& whole = strips.front();
      if (std::all_of(strips.begin(), strips.end(), [&](const Transfer& strip) {
            return strip.send_components == whole.send_components && strip.receive_components == whole.receive_components;
          })) {
        for (std::size_t a = 0; a < axis; ++a)
          for (auto* box : {&whole.send, &whole.receive}) {
            const auto low = grid_.has_neighbour(a, -1) ? width_[a] : 0, high = grid_.has_neighbour(a, 1) ? width_[a] : 0;
            box->first[a] -= low;
            box->count[a] += low + high;
          }
        strips.erase(strips.begin() + 1, strips.end());
      }
      all.insert(all.end(), strips.begin(), strips.end());
    }
    ++round;
  }
  return all;
}

std::vector<Halo::Transfer> Halo::transfers(std::size_t field) const {
  switch (options_.scheme) {
    case HaloOptions::Scheme::direct: return direct(field);
    case HaloOptions::Scheme::by_dimension: return by_dimension(field);
    case HaloOptions::Scheme::reference: break;
  }
  throw Error("the reference scheme of a halo has no parts (it sends all to all). use direct or by_dimension.", true);
}

Region Halo::region(std::size_t field, Box box, const Components& components) const {
  const auto& placed = fields_[field];
  for (std::size_t a = 0; a < 3; ++a) box.first[a] += placed.layers()[a] - width_[a];
  return placed.region(box, components);
}

void Halo::request(Requests& requests) const {
  for (std::size_t f = 0; f < fields_.size(); ++f)
    for (const auto& t : transfers(f)) {
      // A part is named by the direction in which it travels. Along the axes before a by_dimension round it does not.
      auto from = opposite(t.direction);
      if (options_.scheme == HaloOptions::Scheme::by_dimension) {
        from = t.direction;
        std::size_t axis = 2;
        while (t.direction[axis] == 0) --axis;
        from[axis] = -from[axis];
      }
      if (!t.send_components.empty())
        requests.send(t.peer, 32 * f + number_of(t.direction), region(f, t.send, t.send_components), t.round);
      if (!t.receive_components.empty())
        requests.receive(t.peer, 32 * f + number_of(from), region(f, t.receive, t.receive_components), t.round);
    }
}

int Halo::rounds() const {
  if (options_.scheme != HaloOptions::Scheme::by_dimension) return 1;
  int rounds = 0;
  for (std::size_t a = 0; a < 3; ++a) rounds += grid_.is_linked(a);
  return std::max(rounds, 1);
}

Box Halo::interior() const {
  Box box{.first = {0, 0, 0}, .count = grid_.block().count};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto low = std::min(grid_.has_neighbour(a, -1) ? width_[a] : 0, box.count[a]);
    const auto high = std::min(grid_.has_neighbour(a, 1) ? width_[a] : 0, box.count[a] - low);
    box.first[a] = low;
    box.count[a] -= low + high;
  }
  return box;
}

std::vector<Box> Halo::boundary() const {
  const auto inner = interior();
  Box rest{.first = {0, 0, 0}, .count = grid_.block().count};
  std::vector<Box> all;
  for (std::size_t a = 0; a < 3; ++a) {  // cut off both ends of what is left
    const std::size_t before = inner.first[a], after = rest.count[a] - inner.first[a] - inner.count[a];
    auto slab = rest;
    slab.count[a] = before;
    if (slab.points() > 0) all.push_back(slab);
    slab.first[a] = inner.first[a] + inner.count[a];
    slab.count[a] = after;
    if (slab.points() > 0) all.push_back(slab);
    rest.first[a] = inner.first[a];
    rest.count[a] = inner.count[a];
  }
  return all;
}

}  // namespace weft
