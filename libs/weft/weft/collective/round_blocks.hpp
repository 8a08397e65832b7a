// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/collective/schedule.hpp"

namespace weft {

/// The memory of a collective made of rounds: the slots that its schedule speaks of, and room for what arrives in each
/// round.
class RoundBlocks {
 public:
  /// The spans in `what` are borrowed. Throws Error, everywhere, if there is no such algorithm or the sizes don't fit.
  RoundBlocks(int rank, int size, const Collective& what, Algorithm algorithm, const ScheduleOptions& options = {});

  /// What is done with them.
  const CollectiveSchedule& schedule() const { return schedule_; }
  /// How many rounds there are.
  std::size_t rounds() const { return schedule_.rounds.size(); }
  /// Size of one slot.
  std::size_t block_bytes() const { return block_bytes_; }
  /// Slot k is at slots() + k * block_bytes().
  std::byte* slots() { return slots_.data(); }
  /// Where the k-th message of a round arrives.
  std::vector<std::byte>& arrived(std::size_t round, std::size_t k) { return arrived_[first_arrived_[round] + k]; }

  void load();                     ///< the input, into its slots
  void finish(std::size_t round);  ///< what arrived in it, into its slots
  void store();                    ///< the slots of the result, into the output

 private:
  Collective what_;
  CollectiveSchedule schedule_;
  std::size_t block_bytes_ = 0;
  std::vector<std::byte> slots_;
  std::vector<std::vector<std::byte>> arrived_;  // one a receive, by round
  std::vector<std::size_t> first_arrived_;       // of each round
};

}  // namespace weft
