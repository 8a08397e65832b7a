// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/outlets/outlet_state.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Openings whose boundary condition depends on flows: windkessels (also those tuned beat by beat), outlets that take a
/// share of the inflow, and openings that are connected to 0-D compartments. It also compares the beats for runs that
/// end in the periodic state.
///
/// The inflow through each opening in a step is summed over the ranks in the next step, in rounds that share the
/// lattice's messages, and is known on all ranks at the end of that step. The outlets respond two steps after the
/// measured one, on any number of ranks, and without an additional wait. The sums are of integers, which do not depend
/// on the order of addition, and all ranks do the same arithmetic with them, so fields are bitwise identical on any
/// number of ranks. A case without such openings and without beats to compare has no cost.
class Outlets {
 public:
  /// All are borrowed. Not collective.
  Outlets(Transport& transport, LatticeClient& lattice, const Case& c, const Vessel& vessel);
  ~Outlets();

  bool any() const { return all_ != nullptr; }
  /// Adds a client to the manager; call it before the lattice is added. Collective.
  void start(StepManager& manager);
  /// Whether the last two beats agree within the case's tolerance. The same on all ranks.
  bool periodic() const;
  /// Whether controlled flows and pressures have reached their prescribed values; a flow may be steady before that. The
  /// same on all ranks; true if nothing is controlled.
  bool settled() const;
  /// The state of the outlets for the end of a run.
  OutletReport report() const;
  /// The compartments' pressures and volumes and the connections' flows after the last finished step; no columns: there
  /// are no compartments.
  std::vector<std::string> columns() const;
  std::vector<double> row() const;

  /// Adds the outlets' state to a program's state (a JSON object), between two steps. Collective.
  std::string with_state(const std::string& program_state) const;
  /// Restores the state before the next step; it must be the same on every rank. Throws InputError if it is missing.
  void restore(const std::string& program_state);

 private:
  struct All;
  std::unique_ptr<All> all_;  // null: no such outlets, no beats
};

}  // namespace weft::flow
