// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace weft::advise {

/// When the helper thread drives: on and off in turns, and in between what was faster. Counts the program's own
/// synchronisations, which the ranks of most programs make alike, so that all try at the same time and no message is
/// needed for it; what came of a try each rank judges by its own clock.
///
/// A cycle begins with four short turns (off, on, off, on); the rest of it is as they say. Cycles double, so that tries
/// take an ever smaller share.
class Turns {
 public:
  /// The program has synchronised at that moment; true: the helper is to drive until the next time.
  bool synchronised(double seconds);
  /// Whether the last tries were worth it.
  bool gains() const { return gains_; }

  static constexpr std::uint64_t off_turn = 13, on_turn = 9, tries = 2 * (off_turn + on_turn);
  static constexpr std::uint64_t first_cycle = 512, longest_cycle = 16384;

 private:
  bool turn(std::uint64_t at, double seconds);

  std::uint64_t count_ = 0, cycle_start_ = 0, cycle_ = first_cycle;
  double turn_start_ = 0;
  std::array<double, 4> seconds_a_step_{};  // of the tries
  bool gains_ = false, given_up_ = false;
};

}  // namespace weft::advise
