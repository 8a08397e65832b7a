// SPDX-License-Identifier: BSD-3-Clause
#include "bench/workload/synthetic_vessel.hpp"

#include <cmath>
#include <numbers>

#include "phantom/tube.hpp"

namespace weft::bench {

using geometry::Vector;
using geometry::operator*;  // Vector is an array, so argument-dependent lookup fails

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
      geometry::make_domain(transport, phantom::make_tube(start, end, radius, 96, 8), c.discs(), voxel, vessel.setup);
  return vessel;
}

}  // namespace weft::bench
