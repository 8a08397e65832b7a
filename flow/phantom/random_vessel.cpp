// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/made_vessel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "phantom/mesh_tubes.hpp"
#include "phantom/tree_builder.hpp"

namespace weft::phantom {

using geometry::Vector;
using geometry::operator+, geometry::operator-, geometry::operator*;
using geometry::dot, geometry::length, geometry::normalised;

namespace {

struct Sprout {
  int parent = -1;  // branch from which it grows
  TubePoint start{};
  Vector direction{};
};

struct Grown {
  int parent = -1;
  std::vector<TubePoint> places;
  bool ends = true;  // ends in an opening; else it divides
};

// The vector rotated by an angle towards a direction at right angles to it.
Vector turned(const Vector& v, const Vector& towards, double angle) {
  const auto across = towards - dot(towards, v) * v;
  return normalised(std::cos(angle) * v + std::sin(angle) * normalised(across));
}

// Five points, one and a half to two and a half radii apart, each a little rotated and narrower.
std::vector<TubePoint> grow(Dice& dice, const Sprout& sprout, double bend, double taper) {
  std::vector<TubePoint> places{sprout.start};
  auto direction = sprout.direction;
  const int pieces = 4;
  auto side = dice.direction();
  for (int k = 0; k < pieces; ++k) {
    auto next = places.back();
    next.centre = next.centre + dice.between(1.8, 2.6) * sprout.start.radius * direction;
    next.radius *= std::pow(taper, 1.0 / pieces);
    places.push_back(next);
    side = normalised(side + 0.7 * dice.direction());
    direction = turned(direction, side, dice.between(0, bend));
  }
  return places;
}

double gap(const TubePoint& a, const TubePoint& b) { return length(a.centre - b.centre) - a.radius - b.radius; }

// Whether two unrelated branches, or two ends of one, come so close that they would merge.
bool collides(const std::vector<Grown>& branches) {
  std::vector<std::vector<TubePoint>> tubes;
  for (const auto& b : branches) tubes.push_back(smooth_tube(b.places, 0.5 * b.places.back().radius));
  const auto along = [](const std::vector<TubePoint>& tube, std::size_t from, std::size_t to) {
    double way = 0;
    for (auto i = from; i < to; ++i) way += length(tube[i + 1].centre - tube[i].centre);
    return way;
  };
  for (std::size_t i = 0; i < tubes.size(); ++i)
    for (std::size_t k = i; k < tubes.size(); ++k) {
      const bool same = i == k;
      const bool family = branches[k].parent == static_cast<int>(i) || branches[k].parent == branches[i].parent;
      const double width = tubes[i].front().radius;
      for (std::size_t a = 0; a < tubes[i].size(); ++a)
        for (std::size_t b = same ? a + 1 : 0; b < tubes[k].size(); ++b) {
          if (gap(tubes[i][a], tubes[k][b]) > 0.6 * std::min(tubes[i][a].radius, tubes[k][b].radius)) continue;
          if (same && along(tubes[i], a, b) < 4 * width) continue;
          // Near their bifurcation they must touch, but not further away.
          if (!same && family && along(tubes[k], 0, b) < 5 * width) continue;
          return true;
        }
    }
  return false;
}

// A vessel with this number of outlets, in units of its inlet's radius; none if it collides with itself.
std::optional<std::vector<Grown>> grow_tree(Dice& dice, int outlets, double bend) {
  std::vector<Grown> branches;
  std::vector<Sprout> sprouts{{-1, {{0, 0, 0}, 1}, dice.direction()}};
  int ends = 1;
  while (!sprouts.empty()) {
    const auto sprout = sprouts.front();
    sprouts.erase(sprouts.begin());
    Grown branch{sprout.parent, grow(dice, sprout, bend, dice.between(0.75, 1)), true};
    const auto& places = branch.places;
    constexpr double narrow = 0.45;  // below this it does not divide
    if (ends < outlets && (sprouts.empty() || (dice.chance(0.6) && places.back().radius > narrow))) {
      ++ends;
      branch.ends = false;
      const auto& tip = places.back();
      const auto tip_direction = normalised(tip.centre - places[places.size() - 2].centre);
      // Murray's law: the cubes of the radii add up.
      const double part = dice.between(0.3, 0.7);
      const auto side = dice.direction();
      const double angle = dice.between(0.8, 1.9);
      for (const auto& [share, sign] : {std::pair{part, 1.0}, std::pair{1 - part, -1.0}}) {
        const auto direction = turned(tip_direction, sign * side, angle * (1 - share));
        const double radius = tip.radius * std::cbrt(share);
        sprouts.push_back(
            {static_cast<int>(branches.size()), {tip.centre - 0.3 * tip.radius * tip_direction, radius}, direction});
      }
    }
    branches.push_back(std::move(branch));
  }
  if (collides(branches)) return std::nullopt;
  return branches;
}

}  // namespace

MadeVessel make_random_vessel(std::uint64_t seed) {
  Dice dice(seed);
  const double inlet_mm = dice.between_in_ratio(1.5, 11);
  const int outlets = 1 + static_cast<int>(dice.between(0, 5));
  const double highest = dice.between_in_ratio(50, 1500), pulsatility = dice.between(1.5, 4.5);
  const double period = dice.between(0.6, 1.1);
  const auto pulse = dice.chance(0.5) ? MadeVessel::Pulse::aortic : MadeVessel::Pulse::carotid;
  double bend = dice.between(0, 0.7);
  for (int k = 1;; ++k) {
    if (k % 50 == 0) bend *= 0.8;  // straighter vessels collide less
    const auto branches = grow_tree(dice, outlets, bend);
    if (!branches) continue;
    double narrowest = inlet_mm;
    for (const auto& branch : *branches) narrowest = std::min(narrowest, inlet_mm * branch.places.back().radius);
    TreeBuilder tree(0.35 * narrowest);
    int named = 0;
    for (const auto& branch : *branches) {
      auto places = branch.places;
      for (auto& p : places) p = {inlet_mm * p.centre, inlet_mm * p.radius};
      tree.branch(std::move(places), branch.parent < 0 ? "inlet" : "",
                  branch.ends ? "outlet" + std::to_string(++named) : "");
    }
    auto vessel = tree.finish("random-" + std::to_string(seed), 4000 + 3000 * outlets);
    if (!is_one_ball(vessel.surface)) continue;  // two branches touch beyond their bifurcation
    vessel.highest_reynolds = highest;
    vessel.mean_reynolds = highest / pulsatility;
    vessel.period = period;
    vessel.pulse = pulse;
    constexpr double cells = 14;  // over the narrowest lumen
    vessel.voxel = 2e-3 * narrowest / cells;
    return vessel;
  }
}

}  // namespace weft::phantom
