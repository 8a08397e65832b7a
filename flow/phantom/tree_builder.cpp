// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/tree_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "phantom/mesh_tubes.hpp"

namespace weft::phantom {

using geometry::Opening;
using geometry::Vector;
using geometry::operator+, geometry::operator-, geometry::operator*;
using geometry::length, geometry::normalised;

namespace {

constexpr double mm = 1e-3;

// Continues straight from an end with the same width, so that its disc cuts a round lumen.
TubePoint beyond(const TubePoint& end, const TubePoint& before) {
  return {end.centre + 0.8 * end.radius * normalised(end.centre - before.centre), end.radius};
}

double area_of(const TubeTree& tree) {
  double area = 0;
  for (std::size_t k = 0; k < tree.tubes(); ++k) {
    const auto& tube = tree.tube(k);
    for (std::size_t i = 0; i + 1 < tube.size(); ++i)
      area += std::numbers::pi * (tube[i].radius + tube[i + 1].radius) * length(tube[i + 1].centre - tube[i].centre);
  }
  return area;
}

double narrowest_of(const TubeTree& tree) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < tree.tubes(); ++k)
    for (const auto& p : tree.tube(k)) least = std::min(least, p.radius);
  return least;
}

}  // namespace

TreeBuilder::TreeBuilder(double blend_mm) : tree_(blend_mm * mm) {}

void TreeBuilder::branch(std::vector<TubePoint> places, const std::string& first_opening,
                         const std::string& last_opening) {
  double least = places.front().radius;
  for (auto& p : places) {
    p = {mm * p.centre, mm * p.radius};
    least = std::min(least, p.radius);
  }
  auto tube = smooth_tube(places, 0.5 * least);
  if (!first_opening.empty()) {
    const auto out = beyond(tube[0], tube[1]);
    openings_.push_back(
        {Opening::Kind::inlet, first_opening, tube[0].centre, normalised(tube[0].centre - out.centre), tube[0].radius});
    tube.insert(tube.begin(), out);
  }
  if (!last_opening.empty()) {
    const auto& end = tube.back();
    const auto out = beyond(end, tube[tube.size() - 2]);
    openings_.push_back(
        {Opening::Kind::outlet, last_opening, end.centre, normalised(end.centre - out.centre), end.radius});
    tube.push_back(out);
  }
  tree_.add(std::move(tube));
}

MadeVessel TreeBuilder::finish(std::string name, int triangles) const {
  MadeVessel vessel;
  vessel.name = std::move(name);
  vessel.openings = openings_;
  // The side of this many equilateral triangles; marching cubes of that width give about as many triangles.
  const double wanted = std::sqrt(area_of(tree_) / triangles * 4 / std::numbers::sqrt3);
  const double spacing = std::min(wanted, 0.45 * narrowest_of(tree_));  // otherwise a narrow branch breaks into pieces
  vessel.surface = mesh_tubes(tree_, spacing);
  return vessel;
}

}  // namespace weft::phantom
