// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft box`: fluid with solid particles in a box, on a dense lattice. The scheme of its halo does not
// change the result: it stays bitwise identical.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "box_program/case.hpp"
#include "box_program/lattice_client.hpp"
#include "box_program/monitor.hpp"
#include "box_program/particles.hpp"
#include "program/run_frame.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/overlap_report.hpp"
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

class Simulation;

/// Options of a run; they never change its result, except through the hooks.
struct RunOptions {
  StepOptions step;
  /// Tuning chooses the halo's scheme, coalesce, progress, grouping and shared_memory.
  program::RunSettings settings{};
  /// Called on every rank before the first step and after the last one; the simulation is valid between the two calls.
  std::function<void(Simulation&)> on_start{}, on_end{};
};

/// Its seconds cover the steps, without output.
struct RunResult : program::RunEnd {
  std::int64_t sites = 0;
  bool steady = false;
  Reading last;
  OverlapReport overlap;  ///< of the steps after tuning

  double mlups() const {
    return seconds > 0 ? 1e-6 * static_cast<double>(sites) * static_cast<double>(made()) / seconds : 0;
  }
};

/// The frame of a run, for run(), with its inputs and outputs registered.
std::unique_ptr<program::RunFrame> make_frame(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// Runs a case to its end (or until it is steady) and writes its outputs. Collective. Throws on every rank: InputError
/// for errors of the case or the disk, an Error with the site's position if the flow becomes unstable.
RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options);
/// The same with its own frame.
RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// A report of the run on these ranks: its cost, and values out of range.
std::string check_report(mpi::Communicator& world, const Case& c);
/// Warnings about the result, one sentence each.
std::vector<std::string> find_problems(const Case& c);

/// Writes the result as JSON, under a temporary name, then renames it. Throws InputError if that fails.
void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport);

}  // namespace weft::box_program
