// SPDX-License-Identifier: BSD-3-Clause
//
// Figures of merit, computed from summarised times; ratios are never averaged.
#pragma once

namespace weft::bench::collectives {

/// CRESTA's eq. 3: the used part of the delay / t_delta. 0: the collective begins when the last rank arrives.
inline double delay_benefit(double t0, double delta, double t_delta) { return (t0 + delta - t_delta) / t_delta; }

/// CRESTA's eq. 5, beta: the gain of overlapping over running one after the other.
inline double overlap_benefit(double collective, double computation, double overlap) {
  return (collective + computation - overlap) / overlap;
}

}  // namespace weft::bench::collectives
