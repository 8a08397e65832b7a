// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Describes the messages of a collective, round by round, as one rank sees them. It does not communicate.
///
/// Every rank keeps `slots` blocks of the same size; a slot is the place of one block. The data received in a round are
/// stored separately until the round is over, then copied into their slots or combined with them. All ranks have the
/// same number of rounds; in some of them a rank may have nothing to do.
struct CollectiveSchedule {
  /// A message that is sent in a round.
  struct Send {
    int peer;                        ///< the rank at the other end
    std::vector<std::size_t> slots;  ///< the blocks to be sent, one after the other
  };
  /// A message that is received in a round.
  struct Receive {
    /// What happens to the received data when the round is over.
    enum class Then : std::uint8_t {
      replace,        ///< slot = received
      combine_left,   ///< slot = combine(received, slot): the received data are of lower ranks
      combine_right,  ///< slot = combine(slot, received)
    };
    int peer;                        ///< the rank at the other end
    std::vector<std::size_t> slots;  ///< the slots of the received blocks, one after the other
    Then then = Then::replace;       ///< what happens to the data
  };
  /// What one rank does in a round.
  struct Round {
    std::vector<Send> sends;        ///< messages that are sent
    std::vector<Receive> receives;  ///< messages that are received
  };

  std::size_t slots = 1;           ///< number of blocks that a rank keeps
  std::vector<std::size_t> in{};   ///< the slot of each block of this rank's input; empty: no input
  std::vector<std::size_t> out{};  ///< the slot of each block of this rank's result; empty: no result
  std::vector<Round> rounds{};     ///< the same number on all ranks
};

/// Which ranks communicate in which round.
enum class Algorithm : std::uint8_t {
  recursive_doubling,  ///< all-reduce: log2 rounds; for other than powers of two one more before and one after
  dissemination,       ///< barrier (Hensgen, Finkel, Manber, 1988)
  binomial,            ///< broadcast, reduce
  tree,   ///< broadcast, reduce, all-reduce over a tree of `arity` children per rank: HemeLB's phased broadcast
  bruck,  ///< all-gather, all-to-all: log2 rounds (Bruck et al., 1997)
  ring,   ///< all-gather: one block per round to the next rank; all-to-all: one peer per round
};

/// The name as in the enumeration.
const char* name_of(Algorithm algorithm);
/// The algorithms for a collective, the one with the fewest rounds first.
std::vector<Algorithm> algorithms_of(Collective::Kind kind);

/// Parameters of some algorithms. The same on all ranks.
struct ScheduleOptions {
  int root = 0;   ///< broadcast, reduce: the root
  int arity = 4;  ///< tree: children of a rank
};

/// Makes the schedule of one rank, for any number of ranks. A reduction combines values in the order of the ranks,
/// except for the tree, which needs a commutative reduction. Throws Error if the collective has no such algorithm, the
/// root is no rank, or a tree's arity is less than 2.
CollectiveSchedule make_schedule(Collective::Kind kind, Algorithm algorithm, int rank, int size,
                                 const ScheduleOptions& options = {});

}  // namespace weft
