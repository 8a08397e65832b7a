// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collisions/tube_flow.hpp"

#include <cmath>
#include <limits>

#include "bench/collisions/reference_lattice.hpp"

namespace weft::bench {

namespace {

using geometry::dot;
using geometry::operator-;
using geometry::operator*;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double most = 3;  // times the initial flow; above it the flow is unstable

/// Flow of all sites, relative to the initial one.
double relative_flow(const PeriodicTube& tube, const ReferenceLattice& lattice) {
  double flow = 0, exact = 0;
  for (std::size_t s = 0; s < tube.sites().count(); ++s) {
    flow += dot(lattice.velocities()[s], tube.direction());
    exact += tube.parabola(tube.sites().place(s));
  }
  return flow / exact;
}

}  // namespace

TubeErrors errors_of(const PeriodicTube& tube, const CollisionModel& model, const TubeFlow& flow) {
  constexpr int between_checks = 200;
  const double radius = tube.radius(), peak = 2 * flow.mean_velocity,
               viscosity = flow.mean_velocity * 2 * radius / flow.reynolds;
  const auto steps = std::lround(flow.radii_viscous * radius * radius / viscosity);
  const auto& sites = tube.sites();
  ReferenceLattice lattice(sites, model,
                           Fluid(viscosity, (4 * viscosity * peak / (radius * radius)) * tube.direction()));
  const auto exact = [&](std::size_t s) { return (peak * tube.parabola(sites.place(s))) * tube.direction(); };
  for (std::size_t s = 0; s < sites.count(); ++s) lattice.set(s, {1, exact(s)});
  double share = 1;
  for (long step = 1; step <= steps; ++step) {
    lattice.step();
    if (step % between_checks != 0 && step != steps) continue;
    share = relative_flow(tube, lattice) / peak;
    if (!(std::abs(share) < most)) return {nan, nan};
  }
  double squares = 0;
  for (std::size_t s = 0; s < sites.count(); ++s) {
    const auto off = lattice.velocities()[s] - share * exact(s);
    squares += dot(off, off);
  }
  return {1 / share - 1, std::sqrt(squares / double(sites.count())) / flow.mean_velocity};
}

}  // namespace weft::bench
