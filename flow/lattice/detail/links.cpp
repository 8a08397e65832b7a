// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/links.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <string>

#include "lattice/detail/populations.hpp"
#include "weft/error.hpp"

namespace weft::lattice::detail {

using geometry::Domain;
using geometry::Position;

namespace {

constexpr std::size_t most_lanes = group_width<float>;

/// A value that is sent between two ranks: in the same order at both ends, along rows if these are rows of x.
struct Crossing {
  std::size_t direction;  ///< that it goes along
  std::int64_t receiver;  ///< site_id
  std::uint32_t slot;     ///< slot at this rank's end
  bool operator<(const Crossing& o) const {
    return direction != o.direction ? direction < o.direction : receiver < o.receiver;
  }
};

struct Crossings {
  std::vector<Crossing> out, in;  // of even steps
};

class Builder {
 public:
  Builder(const Domain& domain, int rank, const SiteOrder& order, const VelocityTable& set, std::size_t width)
      : domain_(domain), rank_(rank), order_(order), set_(set), width_(width), lookup_(domain) {}

  Links build(std::size_t element_bytes) {
    links_.directions = set_.velocity.size();
    links_.width = width_;
    links_.stride = direction_stride(order_.slots, element_bytes);
    find_crossings();
    check_size();
    number_ghosts();
    links_.first_line = (links_.directions * links_.stride + links_.ghosts + width_ - 1) / width_ * width_;
    std::vector<std::uint32_t> site(order_.slots, SiteLookup::none);
    for (std::size_t s = 0; s < order_.slot.size(); ++s) site[order_.slot[s]] = std::uint32_t(s);
    LaneOffsets places(links_.directions - 1);
    for (std::size_t x = 0; x < order_.slots; x += width_) {
      for (std::size_t j = 1; j < links_.directions; ++j)
        for (std::size_t l = 0; l < width_; ++l) places[j - 1][l] = offset_of(x + l, site[x + l], j);
      append(x, places);
    }
    links_.runs.push_back({std::uint32_t(order_.slots / width_), 0, std::uint32_t(links_.pieces.size()), 0, 0});
    links_.runs.shrink_to_fit();
    links_.offsets.shrink_to_fit();
    links_.pieces.shrink_to_fit();
    return std::move(links_);
  }

 private:
  using LaneOffsets = std::vector<std::array<std::int32_t, most_lanes>>;  // of each direction except rest

  void check_size() const {
    std::size_t values = (links_.stride + (Links::most_assembled + 1) * width_) * links_.directions;
    for (const auto& [rank, c] : crossings_) values += c.in.size();
    if (values > std::size_t(std::numeric_limits<std::int32_t>::max()))
      throw InputError("Rank " + std::to_string(rank_) + " holds " + std::to_string(order_.slot.size()) +
                       " sites (32-bit indices allow at most " +
                       std::to_string(std::numeric_limits<std::int32_t>::max() / std::int32_t(links_.directions)) +
                       "). Use more ranks.");
  }

  bool is_fluid(std::size_t s, std::size_t i) const { return (domain_.fluid[s] >> set_.link[i] & 1U) != 0; }
  Position neighbour(const Position& p, std::size_t i) const {
    const auto& c = set_.velocity[i];
    return {p[0] + c[0], p[1] + c[1], p[2] + c[2]};
  }

  void find_crossings() {
    for (std::size_t s = 0; s < domain_.sites.size(); ++s) {
      const auto slot = order_.slot[s];
      if (slot >= order_.edge.end) continue;
      const auto& p = domain_.sites[s];
      for (std::size_t i = 1; i < links_.directions; ++i) {
        if (!is_fluid(s, i)) continue;
        const Position q = neighbour(p, i);
        const int owner = domain_.owner.at(domain_.grid.block_id(q));
        if (owner == rank_) continue;
        auto& c = crossings_[owner];
        c.out.push_back({i, domain_.grid.site_id(q), slot});
        c.in.push_back({opposite(i), domain_.grid.site_id(p), slot});
      }
    }
  }

  void number_ghosts() {
    ghost_of_.resize(order_.edge.end * links_.directions);
    for (auto& [rank, c] : crossings_) {
      std::sort(c.out.begin(), c.out.end());
      std::sort(c.in.begin(), c.in.end());
      auto& peer = links_.peers.emplace_back();
      peer.rank = rank;
      peer.first_ghost = links_.ghosts;
      peer.along_axes = static_cast<std::size_t>(
          std::ranges::count_if(c.out, [](const Crossing& o) { return o.direction <= Links::axis_directions; }));
      for (const auto& o : c.out) peer.near.push_back(flat(opposite(o.direction), o.slot));
      for (const auto& in : c.in)
        ghost_of_[in.slot * links_.directions + opposite(in.direction)] = flat(links_.directions, links_.ghosts++);
    }
    crossings_.clear();
  }

  std::int32_t flat(std::size_t direction, std::size_t slot) const {
    return std::int32_t(direction * links_.stride + slot);
  }

  std::int32_t offset_of(std::size_t slot, std::uint32_t s, std::size_t j) {
    if (s == SiteLookup::none || !is_fluid(s, j)) return flat(opposite(j), slot);
    const auto n = lookup_.find(neighbour(domain_.sites[s], j), cursors_[j]);
    if (n != SiteLookup::none) return flat(j, order_.slot[n]);
    return ghost_of_[slot * links_.directions + j];
  }

  bool is_in_pieces(const std::array<std::int32_t, most_lanes>& row) const {
    for (std::size_t l = 1; l < width_; ++l)
      if (row[l] != row[0] + std::int32_t(l)) return true;
    return false;
  }

  void append(std::size_t x, const LaneOffsets& places) {
    std::vector<std::int32_t> offsets;
    std::vector<std::size_t> in_pieces;
    const std::size_t lines = assembled_ % Links::most_assembled * places.size();
    for (std::size_t j = 0; j < places.size(); ++j) {
      auto place = places[j][0];
      if (is_in_pieces(places[j])) {
        place = std::int32_t(links_.first_line + (lines + in_pieces.size()) * width_);
        in_pieces.push_back(j);
      }
      offsets.push_back(place - std::int32_t(x));
    }
    const bool goes_on =
        in_pieces.empty() && !links_.runs.empty() && links_.runs.back().begun == 0 &&
        std::equal(offsets.begin(), offsets.end(), links_.offsets.end() - std::ptrdiff_t(offsets.size()));
    if (goes_on) return;
    links_.runs.push_back({std::uint32_t(x / width_), std::uint32_t(links_.offsets.size()),
                           std::uint32_t(links_.pieces.size()), std::uint16_t(in_pieces.size()), std::uint16_t(lines)});
    links_.offsets.insert(links_.offsets.end(), offsets.begin(), offsets.end());
    append_pieces(places, in_pieces);
    if (!in_pieces.empty()) ++assembled_;
  }

  // The first piece of every line, then the second of each, and so on, since pieces of one line depend on each other.
  void append_pieces(const LaneOffsets& places, const std::vector<std::size_t>& in_pieces) {
    std::vector<std::uint32_t> left(in_pieces.size(), (1U << width_) - 1);
    for (bool any = !in_pieces.empty(); any;) {
      any = false;
      for (std::size_t line = 0; line < in_pieces.size(); ++line) {
        if (left[line] == 0) continue;
        const auto& row = places[in_pieces[line]];
        const auto first = std::size_t(std::countr_zero(left[line]));
        const auto place = row[first] - std::int32_t(first);
        Piece piece{place, 0, std::uint8_t(in_pieces[line] + 1), std::uint8_t(line)};
        for (std::size_t l = first; l < width_; ++l)
          if (row[l] - std::int32_t(l) == place) piece.lanes = std::uint16_t(piece.lanes | 1U << l);
        left[line] &= ~std::uint32_t(piece.lanes);
        links_.pieces.push_back(piece);
        any = true;
      }
    }
  }

  const Domain& domain_;
  const int rank_;
  const SiteOrder& order_;
  const VelocityTable& set_;
  const std::size_t width_;
  const SiteLookup lookup_;
  std::map<int, Crossings> crossings_;
  std::vector<std::int32_t> ghost_of_;                         ///< location of each edge slot's links
  std::array<SiteLookup::Cursor, most_directions> cursors_{};  ///< one for each direction
  std::size_t assembled_ = 0;                                  ///< runs with pieces
  Links links_;
};

}  // namespace

std::size_t Links::run_of(std::size_t group) const {
  const auto after =
      std::upper_bound(runs.begin(), runs.end(), group, [](std::size_t g, const Run& r) { return g < r.first; });
  return std::size_t(after - runs.begin()) - 1;
}

std::int32_t Links::place(std::size_t slot, std::size_t j) const {
  const Run& run = runs[run_of(slot / width)];
  const auto place = std::int32_t(slot) + offsets[run.start + j - 1];
  if (std::size_t(place) < first_line) return place;
  const auto lane = slot % width;
  for (std::size_t k = run.pieces; k < (&run)[1].pieces; ++k)
    if (pieces[k].direction == j && (pieces[k].lanes >> lane & 1) != 0) return pieces[k].place + std::int32_t(lane);
  return -1;  // never reached: each lane is in a piece of each direction
}

std::size_t Links::bytes() const {
  std::size_t sum = runs.size() * sizeof(Run) + offsets.size() * sizeof(std::int32_t) + pieces.size() * sizeof(Piece);
  for (const auto& p : peers) sum += p.near.size() * sizeof(std::int32_t);
  return sum;
}

Links make_links(const Domain& domain, int rank, const SiteOrder& order, const VelocityTable& set, std::size_t width,
                 std::size_t element_bytes) {
  return Builder(domain, rank, order, set, width).build(element_bytes);
}

}  // namespace weft::lattice::detail
