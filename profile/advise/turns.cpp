// SPDX-License-Identifier: BSD-3-Clause
#include "advise/turns.hpp"

#include <algorithm>

namespace weft::advise {
namespace {

// A smaller gain is considered noise.
constexpr double gain_at_least = 0.97;
// A trial that is slower by this factor after so many steps is ended at once. The numbers are even, since ranks that
// are half a step apart have alternating long and short steps.
struct Limit {
  double too_slow;
  std::uint64_t steps;
};
constexpr Limit limits[] = {{1.5, 2}, {1.1, 4}};

}  // namespace

bool Turns::synchronised(double seconds) {
  const auto at = count_++ - cycle_start_;
  if (at == cycle_) {
    cycle_start_ = count_ - 1;
    cycle_ = std::min(2 * cycle_, longest_cycle);
    return turn(0, seconds);
  }
  return turn(at, seconds);
}

bool Turns::turn(std::uint64_t at, double seconds) {
  if (at > tries) return gains_;
  const auto pair = at / (off_turn + on_turn), in_pair = at % (off_turn + on_turn);
  const bool on = in_pair >= off_turn;
  const auto n = on ? in_pair - off_turn : in_pair;  // of this turn
  if (n == 0) {
    // A trial is over. Its first step is left out, since in it the ranks still ran in the previous mode.
    if (at > 0) {
      const auto before = 2 * pair + (on ? 1 : 0) - 1;
      const auto length = on ? off_turn : on_turn;
      if (!given_up_) seconds_a_step_[before] = (seconds - turn_start_) / static_cast<double>(length - 1);
    }
    given_up_ = false;
    if (at == tries) {
      const auto& s = seconds_a_step_;
      gains_ = std::max(s[1], s[3]) < gain_at_least * std::min(s[0], s[2]);
      return gains_;
    }
    return on;
  }
  if (n == 1) turn_start_ = seconds;
  for (const auto& limit : limits) {
    if (!on || n != 1 + limit.steps || given_up_) continue;
    const double now = (seconds - turn_start_) / static_cast<double>(limit.steps);
    if (now > limit.too_slow * seconds_a_step_[2 * pair]) {
      given_up_ = true;
      seconds_a_step_[2 * pair + 1] = now;
    }
  }
  return on && !given_up_;
}

}  // namespace weft::advise
