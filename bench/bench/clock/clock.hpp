// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "bench/shared/report.hpp"

namespace weft::bench {

struct ClockBenchOptions : TimedOptions {
  std::size_t pings = 200;                  ///< round trips per measurement; drift is fitted over several measurements
  double skew = 100;                        ///< largest artificial offset of the ranks' clocks in seconds, either way
  double drift = 1e-5;                      ///< largest artificial drift, relative, either way
  std::function<double()> library_clock{};  ///< MPI_Wtime, whose origins are compared; empty: not compared
};

/// Measures the accuracy of GlobalClock with artificially wrong clocks: by the shortest round trips and by the mean of
/// all, against CLOCK_MONOTONIC, which the ranks of one machine share. Collective.
void clock(Transport& transport, const ClockBenchOptions& options);

}  // namespace weft::bench
