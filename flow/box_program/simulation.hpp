// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "box_program/case.hpp"
#include "box_program/lattice_client.hpp"
#include "box_program/monitor.hpp"
#include "box_program/particles.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::box_program {

/// A case on its ranks, ready for its steps: the lattice, its two halos, particles, walls and monitors, all clients of
/// one StepManager. The communication settings (the step's and the halo's options) never change its result.
class Simulation {
 public:
  /// `on_reading` is called with each reading of the monitors, on every rank; `failure`: see BoxMonitors. Transport and
  /// case must outlive the simulation. Collective. Throws InputError, on every rank, if the case does not fit on the
  /// ranks.
  Simulation(Transport& world, const Case& c, const StepOptions& options = {},
             std::function<void(const Reading&)> on_reading = {}, program::KeptFailure* failure = nullptr);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Throws Error, on every rank, if the step left a particle where it can't be.
  void run_step() {
    manager_.run_step();
    particles_.check(step());
  }
  std::int64_t step() const { return manager_.step(); }

  /// Changes the communication from the next step on, which must be an even one; see StepManager::use. Collective.
  void use(const StepOptions& options, HaloOptions::Scheme scheme, bool keep);

  /// Sets the number of the next step, an even one, after lattice, particles and monitors were restored.
  void start_at(std::int64_t step) { manager_.start_at(step); }

  StepManager& manager() { return manager_; }
  BoxMonitors& monitor() { return monitor_; }
  const BoxMonitors& monitor() const { return monitor_; }
  const Space& space() const { return layout_.space; }
  const CartesianGrid& grid() const { return layout_.grid; }
  const lattice::DenseLattice& lattice() const { return lattice_; }
  lattice::DenseLattice& lattice() { return lattice_; }
  const Particles& particles() const { return particles_; }
  Particles& particles() { return particles_; }
  /// The data that an even step moves, as text.
  std::string describe() const { return fill_.halo().describe(); }

 private:
  const Case& case_;
  HaloOptions::Scheme scheme_;
  const Layout layout_;
  lattice::DenseLattice lattice_;
  Particles particles_;
  BoxMonitors monitor_;
  LatticeClient sites_;
  HaloClient fill_, reverse_halo_;
  WallClient walls_;
  StepManager manager_;
};

/// The state of a case at a site of the box, before the first step.
lattice::DenseLattice::State initial_state(const Case& c, const Site& site);

}  // namespace weft::box_program
