// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collisions/square_flows.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "bench/collisions/reference_lattice.hpp"

namespace weft::bench {

namespace {

using geometry::dot;
using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using geometry::Vector;

/// Kinetic energy per site and density, relative to the mean velocity.
double energy_beside(const Vector& mean, const ReferenceLattice& lattice) {
  double energy = 0;
  for (const auto& u : lattice.velocities()) energy += dot(u - mean, u - mean);
  return energy / 2 / double(lattice.velocities().size());
}

}  // namespace

double decay_error(const CollisionModel& model, const VortexFlow& flow) {
  const double turn = 2 * std::numbers::pi / flow.size, wave = turn * std::hypot(flow.p, flow.q);
  const double rate = 2 * flow.viscosity * wave * wave;
  const Vector along = {flow.p * turn / wave, flow.q * turn / wave, 0}, across = {-along[1], along[0], 0};
  const auto sites = periodic_square(flow.size);
  ReferenceLattice lattice(sites, model, Fluid(flow.viscosity));
  for (std::size_t s = 0; s < sites.count(); ++s) {
    const double x = wave * dot(along, sites.place(s)), y = wave * dot(across, sites.place(s));
    const double pressure = -flow.peak * flow.peak / 4 * (std::cos(2 * x) + std::cos(2 * y));
    const auto u = (flow.peak * std::cos(x) * std::sin(y)) * along - (flow.peak * std::sin(x) * std::cos(y)) * across;
    lattice.set(s, {1 + 3 * pressure, u + flow.mean_velocity});
  }
  const auto first = std::lround(1 / rate), last = std::lround(2 / rate);
  double at_first = 0;
  for (long step = 1; step <= last; ++step) {
    lattice.step();
    if (step == first) at_first = energy_beside(flow.mean_velocity, lattice);
  }
  const double at_last = energy_beside(flow.mean_velocity, lattice);
  const double error = std::log(at_first / at_last) / 2 / double(last - first) / rate - 1;
  return std::isfinite(error) ? error : std::numeric_limits<double>::quiet_NaN();
}

bool is_stable(const CollisionModel& model, const ShearLayer& flow) {
  constexpr int between_checks = 20;
  constexpr double most = 1.05;
  const auto sites = periodic_square(flow.size);
  ReferenceLattice lattice(sites, model, Fluid(flow.velocity * flow.size / flow.reynolds));
  for (std::size_t s = 0; s < sites.count(); ++s) {
    const double x = sites.place(s)[0] / flow.size, y = sites.place(s)[1] / flow.size;
    const double along = std::tanh(flow.sharpness * (y < 0.5 ? y - 0.25 : 0.75 - y)),
                 across = flow.wave * std::sin(2 * std::numbers::pi * (x + 0.25));
    lattice.set(s, {1, {flow.velocity * along, flow.velocity * across, 0}});
  }
  const auto steps = std::lround(flow.crossings * flow.size / flow.velocity);
  const double at_start = energy_beside({}, lattice);
  for (long step = 1; step <= steps; ++step) {
    lattice.step();
    if (step % between_checks == 0 && !(energy_beside({}, lattice) < most * at_start)) return false;
  }
  return true;
}

}  // namespace weft::bench
