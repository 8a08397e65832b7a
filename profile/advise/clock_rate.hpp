// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::advise {

/// How much the clock of the processor changed during the run. No counter of it can be read on all machines, so that
/// now and then a chain of multiplications is timed, which takes a known number of cycles: 10 us in 30 ms or more.
class ClockRate {
 public:
  /// To be called often; `calls` is a count of events.
  void look(std::uint64_t calls) {
    if (calls - looked_ >= 16) [[unlikely]]
      look_again(calls);
  }
  void add(double ticks);
  /// The difference between the first and the last decile over the larger one; 0: there were too few samples.
  double change() const;

 private:
  void look_again(std::uint64_t calls);

  std::uint64_t looked_ = 0, last_ = 0;
  std::vector<double> samples_;
  std::size_t every_ = 1, skipped_ = 0;  // of a long run each second sample is kept, each fourth, ...
};

}  // namespace weft::advise
