// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

namespace [[gnu::visibility("default")]] weft {

/// The overlapped time divided by the longest possible: the one measure of overlap in reports, JSON files and
/// benchmarks.
///
/// `communication` and `computation` are the durations of each without the other, `both` is the duration of both
/// together, all in one unit. Both together take at least as long as the longer one, so the overlapped time,
/// communication + computation - both, is at most the shorter one:
///
///     overlap fraction = (communication + computation - both) / min(communication, computation)
///
/// It is 1 if the shorter one adds nothing, 0 if nothing was overlapped or one of the two takes no time. The quotient
/// leaves this range by noise, and where overlap changes the communication itself; the fraction is limited to 0..1. The
/// definition is that of the Intel MPI Benchmarks for non-blocking collectives (IMB-NBC).
inline double overlap_fraction(double communication, double computation, double both) {
  const double shorter = std::min(communication, computation);
  return shorter > 0 ? std::clamp((communication + computation - both) / shorter, 0.0, 1.0) : 0;
}

/// By how much both together take longer than one after the other; 0 if they don't.
inline double overlap_slowdown(double communication, double computation, double both) {
  return std::max(0.0, both - communication - computation);
}

}  // namespace weft
