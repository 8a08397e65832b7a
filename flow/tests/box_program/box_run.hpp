// SPDX-License-Identifier: BSD-3-Clause
//
// Small boxes, run on ranks that are threads, and the state and sums that tests compare.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "box_program/run.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::testing {

using box_program::Case;
using box_program::Particle;
using box_program::Particles;
using box_program::Simulation;
using box_program::Site;
using box_program::Space;
using box_program::StartCase;

/// Periodic, at rest.
inline Case make_case(const std::vector<std::size_t>& size) {
  Case c;
  c.size = size;
  c.periodic.assign(size.size(), true);
  if (size.size() == 2) c.fluid.velocities = lattice::VelocitySet::d2q9;
  return c;
}

/// Vortices between walls, one of which moves; a free disc or sphere that crosses the edges of blocks.
inline Case make_busy_case(lattice::VelocitySet set, lattice::Precision precision) {
  auto c = set == lattice::VelocitySet::d2q9 ? make_case({21, 18}) : make_case({13, 12, 17});
  c.fluid.velocities = set;
  c.fluid.precision = precision;
  c.fluid.tau = 0.62;
  c.fluid.force = {1e-5, 0, 0};
  c.periodic[1] = false;
  c.wall_velocity[1][1] = {0.05, 0, 0};
  c.start = {.flow = StartCase::Flow::taylor_green, .speed = 0.04};
  c.particles.list = {{.position = {6, 5.5, 0}, .velocity = {0.05, 0.01, 0}, .radius = 2.6, .density = 1.5}};
  if (c.size.size() == 3) c.particles.list[0].position[2] = 8;
  return c;
}

inline void run(Simulation& simulation, int steps) {
  for (int s = 0; s < steps; ++s) simulation.run_step();
}

/// Visits the fluid sites of this rank, with their position in the box and their state.
template <class Visit>
void for_each_fluid_site(const Simulation& s, const Visit& visit) {
  const auto& block = s.space().block;
  for (std::size_t x = 0; x < block.count[0]; ++x)
    for (std::size_t y = 0; y < block.count[1]; ++y)
      for (std::size_t z = 0; z < block.count[2]; ++z) {
        const Site at{static_cast<std::ptrdiff_t>(x), static_cast<std::ptrdiff_t>(y), static_cast<std::ptrdiff_t>(z)};
        if (s.particles().is_solid(at)) continue;
        std::array<double, 3> place{};
        for (std::size_t a = 0; a < 3; ++a) place[a] = static_cast<double>(block.first[a]) + static_cast<double>(at[a]);
        visit(place, s.lattice().state(at));
      }
}

/// Summed over the ranks.
inline Particles::Account total(Transport& world, const Particles::Account& mine) {
  const std::vector<double> values{mine.mass, mine.momentum[0], mine.momentum[1], mine.momentum[2]};
  const auto all = all_gather(world, values);
  Particles::Account sum;
  for (std::size_t k = 0; k < all.size(); k += 4) {
    sum.mass += all[k];
    for (std::size_t a = 0; a < 3; ++a) sum.momentum[a] += all[k + 1 + a];
  }
  return sum;
}

/// The fluid's mass and momentum, the momentum without the force's half step.
inline Particles::Account fluid(Transport& world, const Simulation& s, const std::array<double, 3>& force = {}) {
  Particles::Account sum;
  for_each_fluid_site(s, [&](const auto&, const auto& state) {
    sum.mass += state.density;
    for (std::size_t a = 0; a < 3; ++a) sum.momentum[a] += state.density * (state.velocity[a] - 0.5 * force[a]);
  });
  return total(world, sum);
}

/// Mass and momentum of the fluid, the particles, and what is in exchange between them.
inline Particles::Account everything(Transport& world, const Simulation& s) {
  auto all = fluid(world, s);
  const auto pending = total(world, s.particles().pending()), settled = s.particles().settled();
  all.mass += pending.mass + settled.mass;
  for (std::size_t a = 0; a < 3; ++a) all.momentum[a] += pending.momentum[a] + settled.momentum[a];
  return all;
}

/// The end of a run: particles, the fluid's sites in the order of their positions (x, y, z, density, velocity),
/// readings.
struct End {
  std::vector<Particle> particles;
  std::vector<std::array<double, 7>> sites;
  std::vector<std::vector<double>> readings;
};

inline End end_of(int ranks, const Case& c, int steps, const StepOptions& options = {}) {
  End end;
  run_in_process(ranks, [&](Transport& world) {
    std::vector<std::vector<double>> readings;
    Simulation s(world, c, options, [&](const box_program::Reading& r) {
      readings.push_back(r.values());
      for (auto& value : readings.back()) value = std::isnan(value) ? -1 : value;  // so that they can be compared
    });
    run(s, steps);
    std::vector<double> mine;
    for_each_fluid_site(s, [&](const auto& place, const auto& state) {
      mine.insert(mine.end(), place.begin(), place.end());
      mine.insert(mine.end(), {state.density, state.velocity[0], state.velocity[1], state.velocity[2]});
    });
    const auto all = all_gather(world, mine);
    if (world.rank() != 0) return;
    end.particles = s.particles().list();
    end.readings = std::move(readings);
    end.sites.resize(all.size() / 7);
    for (std::size_t k = 0; k < all.size(); ++k) end.sites[k / 7][k % 7] = all[k];
    std::sort(end.sites.begin(), end.sites.end());
  });
  return end;
}

}  // namespace weft::testing
