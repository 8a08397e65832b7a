// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/simulation.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "weft/error.hpp"

namespace weft::box_program {
namespace {

lattice::DenseParameters parameters_of(const Case& c, const Layout& layout) {
  auto parameters = c.fluid;
  parameters.wraps_last_axis = layout.space.wraps[c.dimensions() - 1];
  return parameters;
}

}  // namespace

// The vortices of Taylor and Green (Proc. R. Soc. A 158 (1937) 499), one period along each axis, with their pressure.
lattice::DenseLattice::State initial_state(const Case& c, const Site& site) {
  const double u = c.start.speed;
  std::array<double, 3> phase{};
  for (std::size_t a = 0; a < c.dimensions(); ++a)
    phase[a] = 2 * std::numbers::pi * (static_cast<double>(site[a]) + 0.5) / static_cast<double>(c.size[a]);
  const auto [x, y, z] = phase;
  switch (c.start.flow) {
    case StartCase::Flow::uniform: return {1, c.start.velocity};
    case StartCase::Flow::shear_wave: return {1, {u * std::sin(y), 0, 0}};
    case StartCase::Flow::taylor_green: {
      const double ratio = static_cast<double>(c.size[1]) / static_cast<double>(c.size[0]);
      const double pressure = 0.25 * u * u * (std::cos(2 * x) + ratio * ratio * std::cos(2 * y));
      return {1 + 3 * pressure, {u * std::sin(x) * std::cos(y), -u * ratio * std::cos(x) * std::sin(y), 0}};
    }
    case StartCase::Flow::taylor_green_3d: {
      const double pressure = u * u / 16 * (std::cos(2 * x) + std::cos(2 * y)) * (std::cos(2 * z) + 2);
      return {1 + 3 * pressure,
              {u * std::sin(x) * std::cos(y) * std::cos(z), -u * std::cos(x) * std::sin(y) * std::cos(z), 0}};
    }
    case StartCase::Flow::rest: break;
  }
  return {1, {}};
}

// Monitors sample the lattice before it is updated; the lattice precedes its halos, whose data it computes; walls are
// last, and end the step.
Simulation::Simulation(Transport& world, const Case& c, const StepOptions& options,
                       std::function<void(const Reading&)> on_reading, program::KeptFailure* failure)
    : case_(c), scheme_(c.scheme), layout_(make_layout(c, world.rank(), world.size())),
      lattice_(layout_.grid.block().count, parameters_of(c, layout_)), particles_(c.particles, layout_.space, lattice_),
      monitor_(
          world, lattice_, particles_, layout_.space, c.monitor, c.steady,
          on_reading ? std::move(on_reading) : [](const Reading&) {}, failure),
      sites_(lattice_, layout_.grid),
      fill_(make_halo(c, layout_, lattice_, lattice_.layout(), HaloOptions::Flow::fill)),
      reverse_halo_(make_halo(c, layout_, lattice_, lattice_.layout(), HaloOptions::Flow::reverse)),
      walls_(lattice_, c, layout_), manager_(world, options) {
  const auto& first = layout_.space.block.first;
  lattice_.initialise([&](const lattice::DenseLattice::Site& s) {
    Site global{};
    for (std::size_t a = 0; a < 3; ++a) global[a] = s[a] + static_cast<std::ptrdiff_t>(first[a]);
    return initial_state(c, global);
  });
  monitor_.start(manager_);
  manager_.add("lattice", sites_);
  manager_.add("halo", fill_, {.every = 2, .offset = 0});
  manager_.add("halo back", reverse_halo_, {.every = 2, .offset = 1});
  manager_.add("particles", particles_);
  manager_.add("walls", walls_);
}

// The reverse exchange of an odd step matches the fill of the even step before it, so both must have one scheme.
void Simulation::use(const StepOptions& options, HaloOptions::Scheme scheme, bool keep) {
  if (step() % 2 != 0) throw Error("The halo can't be changed before an odd step. Change it before an even step.");
  manager_.use(options, keep);
  if (scheme == scheme_) return;
  scheme_ = scheme;
  auto with_scheme = case_;
  with_scheme.scheme = scheme;
  for (auto* client : {&fill_, &reverse_halo_}) {
    client->replace(make_halo(with_scheme, layout_, lattice_, lattice_.layout(), client->halo().options().flow));
    manager_.changed(*client);
  }
}

}  // namespace weft::box_program
