// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/halo.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
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

// The points of a box that are not in another one inside of it, in disjoint boxes: both ends along each axis.
std::vector<Box> around(const Box& inner, Box rest) {
  std::vector<Box> all;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto before = inner.first[a] - rest.first[a], after = rest.count[a] - before - inner.count[a];
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

}  // namespace

Halo::Halo(const CartesianGrid& grid, const HaloOptions& options) : grid_(grid), options_(options) {
  if (options.width == 0) throw Error("A halo has width 0. Use 1 or more.", true);
  if (options.flow == HaloOptions::Flow::reverse && options.scheme == HaloOptions::Scheme::reference)
    throw Error("The reference scheme of a halo has no reverse exchange. Use direct or by_dimension.", true);
  if (options.steps == 0 || options.width > (std::size_t{1} << 31) / options.steps)
    throw Error("A halo of width " + std::to_string(options.width) + " has " + std::to_string(options.steps) +
                    " steps. Use 1 or more, and width times steps at most 2^31.",
                true);
  if (options.steps > 1 && options.flow == HaloOptions::Flow::reverse)
    throw Error("A reverse halo has " + std::to_string(options.steps) + " steps. Use 1, since each step writes.", true);
  if (options.steps > 1 && options.payload != HaloOptions::Payload::whole)
    throw Error("A halo of " + std::to_string(options.steps) + " steps has the payload " + name_of(options.payload) +
                    " (the program also computes ghost points, which reads all values). Use whole.",
                true);
  for (std::size_t a = 0; a < grid.dimensions(); ++a) {
    width_[a] = options.layers();
    if (grid.is_linked(a) && options.layers() > grid.shortest(a))
      throw Error(
          "A halo of width " + std::to_string(options.width) +
              (options.steps > 1 ? " for " + std::to_string(options.steps) + " steps" : "") +
              " is wider than the shortest block along axis " + std::to_string(a) + ", of " +
              std::to_string(grid.shortest(a)) +
              " points (it would reach beyond the neighbour). Use fewer ranks along this axis or a narrower halo.",
          true);
  }
}

std::size_t Halo::add(Field field) {
  const auto number = fields_.size();
  if (field.name.empty()) field.name = "field " + std::to_string(number);
  const auto who = "Field '" + field.name + "'";
  const auto refuse = [](const std::string& why) { throw Error(why, true); };
  if (field.element_bytes == 0 || field.components == 0 || field.site_stride == 0)
    refuse(who + " has elements, components or points of size 0. Use 1 or more.");
  if (field.layers == 0) field.layers = options_.layers();
  if (field.layers < options_.layers())
    refuse(who + " has " + std::to_string(field.layers) + " layers of ghost points (the halo is " +
           std::to_string(options_.layers()) + " wide). Allocate more layers or use a narrower halo.");
  if (!field.velocities.empty() && field.velocities.size() != field.components)
    refuse(who + " has " + std::to_string(field.velocities.size()) + " velocities for " +
           std::to_string(field.components) + " components. Give one velocity per component, or none.");
  const bool fills = options_.flow == HaloOptions::Flow::fill;
  if (field.velocities.empty() && !field.combine && !fills)
    refuse(who +
           " has neither velocities (they determine which ghost points were written) nor a way to combine. Give one "
           "velocity per component, or combine, such as sum<double>().");
  if (field.combine && fills)
    refuse(who + " combines, but this halo fills ghost points. Use Flow::reverse, or no combine.");
  if (field.combine && !field.velocities.empty())
    refuse(who + " has velocities and combines (each value has one writer then). Give one of them.");
  if (field.combine && (!field.type.agrees_with(field.combine.type()) ||
                        field.element_bytes % field.combine.reduction().element_bytes != 0))
    refuse(who + " has values of " + field.type.name() + ", but combines " + field.combine.type().name() +
           ". Use the reduction of its type.");
  for (const auto& v : field.velocities)
    for (std::size_t a = 0; a < v.size(); ++a) {
      const auto most = a < grid_.dimensions() ? options_.width : 0;
      if (static_cast<std::size_t>(std::abs(v[a])) <= most) continue;
      const auto number = [&](std::size_t d) { return std::to_string(v[d]); };
      refuse(who + " has a velocity of (" + number(0) + ", " + number(1) + ", " + number(2) + "), but the halo has " +
             std::to_string(most) + " layers along axis " + std::to_string(a) +
             " (a value would cross more points than are sent). Use a wider halo, or velocities of at most " +
             std::to_string(most) + " there.");
    }
  if (!field.velocities.empty() && !field.reads) field.reads = reads_of_velocities(field.velocities);
  const auto contiguous = field.order == Order::row_major ? grid_.dimensions() - 1 : 0;
  if (const auto row = grid_.block().count[contiguous] + 2 * field.layers; field.pitch != 0 && field.pitch < row)
    refuse(who + " has a pitch of " + std::to_string(field.pitch) + " points for rows of " + std::to_string(row) +
           ". Use at least as many.");
  Index layers{0, 0, 0};
  std::fill_n(layers.begin(), grid_.dimensions(), field.layers);
  fields_.emplace_back(field, grid_.block().count, layers);
  return number;
}

std::vector<std::size_t> Halo::wanted(std::size_t field, const Direction& direction) const {
  const auto& f = fields_[field].field();
  Components all(f.components), read;
  for (std::size_t c = 0; c < f.components; ++c) all[c] = c;
  const bool fills = options_.flow == HaloOptions::Flow::fill;
  if ((options_.payload == HaloOptions::Payload::whole && fills) || !f.reads) return all;
  for (const auto c : all)
    if (f.reads(direction, c)) read.push_back(c);
  return read.empty() || options_.payload == HaloOptions::Payload::reduced || !fills ? read : all;
}

// The components that a ghost region needs in the round of `axis`: its own, and those that later rounds forward from
// it.
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

// In the round of an axis: the face across it and, beside that face, the strips of ghost points that earlier rounds
// filled. If all have the same components they are one part, otherwise one part each.
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
      const bool one_box = fields_[field].field().combine || options_.flow == HaloOptions::Flow::fill;
      if (one_box && std::all_of(strips.begin(), strips.end(), [&](const Transfer& strip) {
            return strip.send_components == whole.send_components &&
                   strip.receive_components == whole.receive_components;
          })) {
        for (std::size_t a = 0; a < axis; ++a)
          for (auto* box : {&whole.send, &whole.receive}) {
            const auto low = grid_.has_neighbour(a, -1) ? width_[a] : 0,
                       high = grid_.has_neighbour(a, 1) ? width_[a] : 0;
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

// Of a box beyond the block in a direction, or of the block's edge there: the points p whose p + velocity is on the
// other side of the boundary, and between the block's other boundaries; along the axes after `last`, neighbours' points
// count too.
Box Halo::used(Box box, const Direction& of, const Direction& velocity, std::size_t last) const {
  const auto n = grid_.block().count;
  for (std::size_t a = 0; a < 3; ++a) {
    if (a > last && grid_.has_neighbour(a, velocity[a] < 0 ? -1 : 1)) continue;
    auto& first = box.first[a];
    auto& count = box.count[a];
    const auto v = std::min(static_cast<std::size_t>(std::abs(velocity[a])), count);
    if (of[a] == 0) {
      if (velocity[a] < 0) first += v;
      count -= v;
    } else {  // the layers next to the boundary
      const bool is_at_the_end = of[a] < 0 ? first < width_[a] : first < width_[a] + n[a];
      if (is_at_the_end) first += count - v;
      count = v;
    }
  }
  return box;
}

// The transfers of Flow::fill, reversed. Each component has its own box: beyond a face, ghost points that the
// neighbours beside it write were not written by this rank. Along the axes of earlier rounds it has received them
// meanwhile. So every value is written once, and the order of arrival does not matter.
std::vector<Halo::Transfer> Halo::backwards(std::size_t field, const std::vector<Transfer>& all) const {
  if (fields_[field].field().combine) {
    std::vector<Transfer> back;
    for (const auto& t : all)
      back.push_back(
          {t.peer, rounds() - 1 - t.round, t.direction, t.receive, t.send, t.receive_components, t.send_components});
    return back;
  }
  const auto& velocities = fields_[field].field().velocities;
  const bool in_rounds = options_.scheme == HaloOptions::Scheme::by_dimension;
  std::vector<Transfer> back;
  for (const auto& t : all) {
    std::size_t last = 2;
    while (in_rounds && t.direction[last] == 0) --last;
    for (std::size_t k = 0; k < std::max(t.send_components.size(), t.receive_components.size()); ++k) {
      Transfer b{t.peer, rounds() - 1 - t.round, t.direction, {}, {}, {}, {}, static_cast<unsigned>(k)};
      if (k < t.receive_components.size()) {
        const auto c = t.receive_components[k];
        b.send = used(t.receive, t.direction, velocities[c], last);
        b.send_components = {c};
      }
      if (k < t.send_components.size()) {
        const auto c = t.send_components[k];
        b.receive = used(t.send, t.direction, velocities[c], last);
        b.receive_components = {c};
      }
      back.push_back(std::move(b));
    }
  }
  return back;
}

std::vector<Halo::Transfer> Halo::transfers(std::size_t field) const {
  const bool fills = options_.flow == HaloOptions::Flow::fill;
  switch (options_.scheme) {
    case HaloOptions::Scheme::direct: return fills ? direct(field) : backwards(field, direct(field));
    case HaloOptions::Scheme::by_dimension: return fills ? by_dimension(field) : backwards(field, by_dimension(field));
    case HaloOptions::Scheme::reference: break;
  }
  throw Error(
      "The reference scheme of a halo has no parts (every rank sends to every rank). Use direct or by_dimension.",
      true);
}

Region Halo::region(std::size_t field, Box box, const Components& components) const {
  const auto& placed = fields_[field];
  for (std::size_t a = 0; a < 3; ++a) box.first[a] += placed.layers()[a] - width_[a];
  return placed.region(box, components);
}

void Halo::move(std::size_t field, std::byte* data) {
  if (field >= fields_.size() || !fields_[field].field().moves)
    throw Error(
        "Field " + std::to_string(field) +
            " of a halo can't be moved (it does not exist, or was added without the option `moves`). Set the field's "
            "`moves` before add().",
        true);
  fields_[field].move(data);
}

std::vector<Region> Halo::regions(std::size_t field) const {
  std::vector<Region> all;
  for (const auto& t : transfers(field)) {
    if (!t.send_components.empty()) all.push_back(region(field, t.send, t.send_components));
    if (!t.receive_components.empty()) all.push_back(region(field, t.receive, t.receive_components));
  }
  return all;
}

std::vector<std::vector<Part>> Halo::request(Requests& requests) const {
  requests.agree_on(grid_text());
  requests.agree_on(options_text());
  std::vector<std::vector<Part>> parts(fields_.size());
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const bool moves = fields_[f].field().moves;
    const auto places = [&](const Region& of) { return moves ? given(of.bytes(), of.device()) : Buffers(of); };
    for (const auto& t : transfers(f)) {
      // The key of a part holds the direction in which it is sent, except along the axes before the round of
      // by_dimension.
      auto from = opposite(t.direction);
      if (options_.scheme == HaloOptions::Scheme::by_dimension) {
        from = t.direction;
        std::size_t axis = 2;
        while (t.direction[axis] == 0) --axis;
        from[axis] = -from[axis];
      }
      const auto key = [&](const Direction& d) { return (Key{f} << 32 | t.piece) * 32 + number_of(d); };
      if (!t.send_components.empty())
        parts[f].push_back(
            requests.send(t.peer, key(t.direction), places(region(f, t.send, t.send_components)), t.round));
      if (!t.receive_components.empty())
        parts[f].push_back(requests.receive(t.peer, key(from), places(region(f, t.receive, t.receive_components)),
                                            {.combine = fields_[f].field().combine, .round = t.round}));
    }
    if (!moves) continue;
    const auto now = regions(f);
    for (std::size_t i = 0; i < now.size(); ++i) requests.rebind(parts[f][i], now[i]);
  }
  return parts;
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
    const auto low = std::min(grid_.has_neighbour(a, -1) ? options_.width : 0, box.count[a]);
    const auto high = std::min(grid_.has_neighbour(a, 1) ? options_.width : 0, box.count[a] - low);
    box.first[a] = low;
    box.count[a] -= low + high;
  }
  return box;
}

std::vector<Box> Halo::boundary() const {
  return around(interior(), {.first = {0, 0, 0}, .count = grid_.block().count});
}

Halo::SubStep Halo::sub_step(std::size_t k) const {
  if (k >= options_.steps)
    throw Error("A halo of " + std::to_string(options_.steps) + " steps has no sub-step " + std::to_string(k) +
                ". Give one from 0 to " + std::to_string(options_.steps - 1) + ".");
  const auto layers = (options_.steps - 1 - k) * options_.width;
  SubStep step{.points = {.first = width_, .count = grid_.block().count}, .interior = interior(), .boundary = {}};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto low = grid_.has_neighbour(a, -1) ? layers : 0, high = grid_.has_neighbour(a, 1) ? layers : 0;
    step.points.first[a] -= low;
    step.points.count[a] += low + high;
    step.interior.first[a] += width_[a];
  }
  step.boundary = around(step.interior, step.points);
  return step;
}

}  // namespace weft
