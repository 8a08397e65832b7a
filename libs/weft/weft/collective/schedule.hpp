// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft {

/// What a collective's messages are, round by round, as one rank sees it. Pure: nothing here moves.
///
/// Every rank keeps `slots` blocks of the same size. What arrives in a round is kept aside until the round is over,
/// then put into its slots or combined with what is there. All ranks have as many rounds; a rank may have nothing to do
/// in one.
struct CollectiveSchedule {
  /// A message that leaves in a round.
  struct Send {
    int peer;                        ///< the rank at the other end
    std::vector<std::size_t> slots;  ///< one after the other
  };
  /// A message that arrives in a round.
  struct Receive {
    /// What is done with it when the round is over.
    enum class Then : std::uint8_t {
      replace,        ///< slot = arrived
      combine_left,   ///< slot = combine(arrived, slot): it comes from lower ranks
      combine_right,  ///< slot = combine(slot, arrived)
    };
    int peer;                        ///< the rank at the other end
    std::vector<std::size_t> slots;  ///< one after the other
    Then then = Then::replace;       ///< what is done with it
  };
  /// What one rank does in a round; perhaps nothing.
  struct Round {
    std::vector<Send> sends;        ///< that leave
    std::vector<Receive> receives;  ///< that arrive
  };

  std::size_t slots = 1;           ///< blocks that a rank keeps
  std::vector<std::size_t> in{};   ///< the slot of each block of this rank's input; empty: it has none
  std::vector<std::size_t> out{};  ///< the slot of each block of this rank's result; empty: it gets none
  std::vector<Round> rounds{};     ///< as many on all ranks
};

/// Which ranks talk to which in which round.
enum class Algorithm : std::uint8_t {
  recursive_doubling,  ///< all-reduce: log2 rounds, one more before and after if the ranks are no power of two
  dissemination,       ///< barrier (Hensgen, Finkel, Manber, 1988)
  binomial,            ///< broadcast, reduce
  tree,                ///< broadcast, reduce, all-reduce over a tree of `arity` children: HemeLB's phased broadcast
  bruck,               ///< all-gather, all-to-all: log2 rounds (Bruck et al., 1997)
  ring,                ///< all-gather: one block a round to the next rank; all-to-all: one peer a round
};

/// The name as in the enumeration.
const char* name_of(Algorithm algorithm);
/// Those that there are for a collective, the one with the fewest rounds first.
std::vector<Algorithm> algorithms_of(Collective::Kind kind);

/// What some algorithms have to know. The same on all ranks.
struct ScheduleOptions {
  int root = 0;   ///< broadcast, reduce
  int arity = 4;  ///< tree
};

/// Throws Error if there is no such algorithm for the collective, or the root is no rank, or a tree's arity is less
/// than 2. A reduction keeps the order of the ranks, but for the tree, which needs one that is commutative. Any number
/// of ranks.
CollectiveSchedule make_schedule(Collective::Kind kind, Algorithm algorithm, int rank, int size,
                                 const ScheduleOptions& options = {});

}  // namespace weft
