// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace weft::advise {

/// Decides when the progress thread is on: trials with and without it alternate, and in between the faster mode is
/// used. The trials are counted in the program's own synchronisations, which are the same on all ranks in most
/// programs, so that all ranks try at the same time without a message. Each rank decides by its own clock.
///
/// A cycle begins with four short trials (off, on, off, on); the rest of it uses the faster mode. The length of the
/// cycles doubles, so that trials take an ever smaller share of the time.
class Turns {
 public:
  /// The program has synchronised at this time; returns whether the progress thread is on until the next
  /// synchronisation.
  bool synchronised(double seconds);
  /// Whether the last trials with the thread were faster.
  bool gains() const { return gains_; }

  static constexpr std::uint64_t off_turn = 13, on_turn = 9, tries = 2 * (off_turn + on_turn);
  static constexpr std::uint64_t first_cycle = 512, longest_cycle = 16384;

 private:
  bool turn(std::uint64_t at, double seconds);

  std::uint64_t count_ = 0, cycle_start_ = 0, cycle_ = first_cycle;
  double turn_start_ = 0;
  std::array<double, 4> seconds_a_step_{};  // of the trials
  bool gains_ = false, given_up_ = false;
};

}  // namespace weft::advise
