// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "bench/shared/report.hpp"

namespace weft::bench {

struct ClockBenchOptions : Options {
  std::size_t pings = 200;                  ///< round trips, at each of the times that drift is fitted over
  double skew = 100;                        ///< seconds by which the ranks' clocks are put wrong, up to, either way
  double drift = 1e-5;                      ///< by which they are made to run fast or slow, likewise
  double seconds = 0;                       ///< of measuring, about; 0: 10 if quick, else 30
  std::function<double()> library_clock{};  ///< MPI_Wtime, whose origins are compared; none: no word of it
};

/// How well GlobalClock tells rank 0's time, of clocks that are put wrong on purpose: by the smallest round trips and
/// by the mean of all, against CLOCK_MONOTONIC, which the ranks of one machine share. Collective.
void clock(Transport& transport, const ClockBenchOptions& options);

}  // namespace weft::bench
