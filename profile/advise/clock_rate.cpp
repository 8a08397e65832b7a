// SPDX-License-Identifier: BSD-3-Clause
#include "advise/clock_rate.hpp"

#include <algorithm>

#include "advise/ticks.hpp"

namespace weft::advise {
namespace {

// The shortest of three: an interrupt makes one longer.
double ticks_of_chain() {
  double least = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = ticks();
    auto value = start | 1;
    for (int i = 0; i < 1000; ++i) {
      value *= value;
      asm volatile("" : "+r"(value));  // each multiplication waits for the one before
    }
    const auto took = static_cast<double>(ticks() - start);
    least = repeat == 0 ? took : std::min(least, took);
  }
  return least;
}

}  // namespace

void ClockRate::look_again(std::uint64_t calls) {
  constexpr std::uint64_t pause = 100'000'000;
  looked_ = calls;
  if (const auto now = ticks(); now - last_ >= pause) {
    add(ticks_of_chain());
    last_ = now;
  }
}

void ClockRate::add(double ticks) {
  constexpr std::size_t most = 256;
  if (++skipped_ < every_) return;
  skipped_ = 0;
  samples_.push_back(ticks);
  if (samples_.size() < most) return;
  for (std::size_t i = 0; i < most / 2; ++i) samples_[i] = samples_[2 * i + 1];
  samples_.resize(most / 2);
  every_ *= 2;
}

double ClockRate::change() const {
  constexpr std::size_t least = 10;
  if (samples_.size() < least) return 0;
  auto sorted = samples_;
  std::ranges::sort(sorted);
  const auto tenth = sorted.size() / 10;
  const double fast = sorted[tenth], slow = sorted[sorted.size() - 1 - tenth];
  return slow > 0 ? (slow - fast) / slow : 0;
}

}  // namespace weft::advise
