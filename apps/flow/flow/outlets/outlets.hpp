// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/outlets/opening_sums.hpp"
#include "flow/outlets/outlet_report.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Openings whose state follows from flows: windkessels (also those that are tuned beat by beat), outlets that take a
/// share of what enters, and openings that a circulation of compartments joins. And it compares the beats, where a run
/// ends when they agree.
///
/// What enters through each opening in a step is summed over the ranks in the next step, in rounds that share the
/// lattice's messages, and is known at the end of it on all ranks: two steps after the one that it was measured in, the
/// outlets answer to it, on any number of ranks. Nobody waits for it. The sums are of integers, so that they do not
/// depend on who adds what, and all ranks do the same arithmetic on them: fields stay the same bits on any number of
/// ranks. A case without such openings, and without beats to compare, has none of this.
class Outlets {
 public:
  /// All are borrowed. Not collective.
  Outlets(Transport& transport, LatticeClient& lattice, const Case& c, const Vessel& vessel);
  ~Outlets();

  bool any() const { return all_ != nullptr; }
  /// Becomes a client of the manager, to be added before the lattice. Collective.
  void start(StepManager& manager);
  /// The last two beats agree as well as the case asks for. The same on all ranks.
  bool periodic() const;
  /// What they hold and drive has come to what is prescribed: a flow that has stopped changing may still be on its way
  /// there. The same on all ranks; true where nothing has to come to anything.
  bool settled() const;
  /// What they came to.
  OutletReport report() const;
  /// The compartments' pressures and volumes and the connections' flows after the step finished last; no columns: there
  /// are none.
  std::vector<std::string> columns() const;
  std::vector<double> row() const;

  /// Puts what a run goes on with into a program's state (an object of JSON), between two steps. Collective.
  std::string with_state(const std::string& program_state) const;
  /// Goes on from there, before the next step. Every rank gives the same. Throws InputError if it isn't there.
  void restore(const std::string& program_state);

 private:
  struct All;
  std::unique_ptr<All> all_;  // null: there is no such outlet
};

}  // namespace weft::flow
