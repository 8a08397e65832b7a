// SPDX-License-Identifier: BSD-3-Clause
#include "bench/synthetic_vessel.hpp"

#include <cmath>
#include <numbers>

namespace weft::bench {

using geometry::Vector;
using geometry::operator+, geometry::operator-, geometry::operator*;  // Vector is an array: not found by its arguments

geometry::Surface make_tube(const Vector& start, const Vector& end, double radius, int around, int along) {
  const auto axis = geometry::normalised(end - start);
  const auto helper = std::abs(axis[0]) < 0.7 ? Vector{1, 0, 0} : Vector{0, 1, 0};
  const auto u = geometry::normalised(geometry::cross(axis, helper));
  const auto v = geometry::cross(axis, u);
  geometry::Surface surface;
  const auto at = [around](int ring, int k) { return static_cast<std::uint32_t>(ring * around + k % around); };
  for (int ring = 0; ring <= along; ++ring)
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around, t = static_cast<double>(ring) / along;
      surface.vertices.push_back(start + t * (end - start) + (radius * std::cos(angle)) * u +
                                 (radius * std::sin(angle)) * v);
    }
  for (int ring = 0; ring < along; ++ring)
    for (int k = 0; k < around; ++k) {
      surface.triangles.push_back({at(ring, k), at(ring, k + 1), at(ring + 1, k)});
      surface.triangles.push_back({at(ring + 1, k), at(ring, k + 1), at(ring + 1, k + 1)});
    }
  const auto first = static_cast<std::uint32_t>(surface.vertices.size());
  surface.vertices.push_back(start);
  surface.vertices.push_back(end);
  for (int k = 0; k < around; ++k) {
    surface.triangles.push_back({first, at(0, k + 1), at(0, k)});
    surface.triangles.push_back({first + 1, at(along, k), at(along, k + 1)});
  }
  return surface;
}

flow::Vessel synthetic_vessel(Transport& transport, std::int64_t sites, flow::Case& c) {
  constexpr double voxel = 1e-4;
  // pi r^2 * 8 r = sites
  const double radius = voxel * std::cbrt(static_cast<double>(sites) / (8 * std::numbers::pi));
  const auto axis = geometry::normalised({1, 0, 1});
  const Vector start{0, 0, 0};
  const auto end = (8 * radius) * axis;
  c = {};
  c.title = "straight vessel";
  c.file = "synthetic";
  c.surface.voxel = voxel;
  c.lattice.time_step = 5e-5 * 3;
  c.run.steps = 1;
  flow::OpeningCase inlet, outlet;
  inlet.disc = {geometry::Opening::Kind::inlet, "inlet", start, axis, radius};
  inlet.kind = lattice::OpeningState::Kind::velocity;
  inlet.value.points = {{0.0, 0.005}};
  outlet.disc = {geometry::Opening::Kind::outlet, "outlet", end, -1.0 * axis, radius};
  outlet.value.points = {{0.0, 0.0}};
  c.openings = {inlet, outlet};
  flow::Vessel vessel;
  vessel.scaling = flow::make_scaling(c);
  vessel.domain =
      geometry::make_domain(transport, make_tube(start, end, radius, 96, 8), c.discs(), voxel, vessel.setup);
  return vessel;
}

}  // namespace weft::bench
