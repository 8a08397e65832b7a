// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/collective/schedule.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The memory of a collective in rounds (CollectiveSchedule): its slots, and a buffer for each received message.
class RoundBlocks {
 public:
  /// Makes the schedule and allocates the memory. The spans in `what` are borrowed. Throws Error, on every rank, if the
  /// collective has no such algorithm or the sizes don't match.
  RoundBlocks(int rank, int size, const Collective& what, Algorithm algorithm, const ScheduleOptions& options = {});

  /// The schedule.
  const CollectiveSchedule& schedule() const { return schedule_; }
  /// The number of rounds.
  std::size_t rounds() const { return schedule_.rounds.size(); }
  /// Size of one slot in bytes.
  std::size_t block_bytes() const { return block_bytes_; }
  /// The memory of the slots: slot k is at slots() + k * block_bytes().
  std::byte* slots() { return slots_.data(); }
  /// The buffer of the k-th message received in a round.
  std::vector<std::byte>& arrived(std::size_t round, std::size_t k) { return arrived_[first_arrived_[round] + k]; }

  void load();                     ///< copies the input into its slots
  void finish(std::size_t round);  ///< copies the data received in this round into their slots, or combines them
  void store();                    ///< copies the slots of the result into the output

 private:
  Collective what_;
  CollectiveSchedule schedule_;
  std::size_t block_bytes_ = 0;
  std::vector<std::byte> slots_;
  std::vector<std::vector<std::byte>> arrived_;  // one per receive, by round
  std::vector<std::size_t> first_arrived_;       // of each round
};

}  // namespace weft
