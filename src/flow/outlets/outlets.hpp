// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "flow/case.hpp"
#include "flow/lattice_client.hpp"
#include "flow/vessel.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Outlets whose state follows from flows: windkessels, and those that take a share of what enters.
///
/// What enters through each opening in a step is summed over the ranks in the next step, in rounds that share the lattice's
/// messages, and is known at the end of it on all ranks: two steps after the one that it was measured in, the outlets answer
/// to it, on any number of ranks. Nobody waits for it. The sums are of integers, so that they do not depend on who adds
/// what, and all ranks do the same arithmetic on them: fields stay the same bits on any number of ranks. A case without
/// such outlets has none of this.
class Outlets {
 public:
  /// All are borrowed. Not collective.
  Outlets(Transport& transport, LatticeClient& lattice, const Case& c, const Vessel& vessel);
  ~Outlets();

  bool any() const { return all_ != nullptr; }
  /// Becomes a client of the manager, to be added before the lattice. Collective.
  void start(StepManager& manager);
  /// Puts what a run goes on with into a program's state (an object of JSON), between two steps. Collective.
  std::string with_state(const std::string& program_state) const;
  /// Goes on from there, before the next step. Every rank gives the same. Throws InputError if it isn't there.
  void restore(const std::string& program_state);

 private:
  struct All;
  std::unique_ptr<All> all_;  // null: there is no such outlet
};

/// A sum of integers of 64 bits, in any order and of up to 2^31 of them: halves that are summed by themselves.
struct TickSum {
  std::int64_t high = 0, low = 0;

  static TickSum of(std::int64_t ticks) { return {ticks >> 32, ticks & 0xffffffff}; }
  TickSum operator+(const TickSum& other) const { return {high + other.high, low + other.low}; }
  /// Rounded once, so the same for the same sum.
  double value() const { return static_cast<double>(high) * 0x1p32 + static_cast<double>(low); }
};

/// What entered through an opening on this rank in the step finished last, in units of 2^-48 of the lattice's mass.
std::int64_t inflow_ticks(const lattice::SparseLattice& lattice, std::size_t opening);

}  // namespace weft::flow
