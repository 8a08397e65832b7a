// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

namespace weft {

/// How much of what can be overlapped was overlapped: the one measure of overlap in reports, JSON files and benchmarks.
///
/// `communication` and `computation` are the durations of each without the other, `both` is the duration of both
/// together (all in one unit). Both together take at least as long as the longer one, so
/// communication + computation - both, the overlapped time, is at most the shorter one:
///
///     overlap fraction = (communication + computation - both) / min(communication, computation)
///
/// 1: the shorter one adds nothing. 0: no overlap. Measured times leave this range by noise, and where overlap changes
/// the communication itself; the fraction is limited to 0..1. The same definition as that of the non-blocking
/// collectives in the Intel MPI Benchmarks (IMB-NBC). 0 if one of the two takes no time.
inline double overlap_fraction(double communication, double computation, double both) {
  const double shorter = std::min(communication, computation);
  return shorter > 0 ? std::clamp((communication + computation - both) / shorter, 0.0, 1.0) : 0;
}

/// By how much both together take longer than one after the other; 0 if they don't.
inline double overlap_slowdown(double communication, double computation, double both) {
  return std::max(0.0, both - communication - computation);
}

}  // namespace weft
