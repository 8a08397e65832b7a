// SPDX-License-Identifier: BSD-3-Clause
//
// Figures of merit, from summarised times: ratios are not averaged.
#pragma once

namespace weft::bench::collectives {

/// CRESTA's eq. 3: what of the delay was used, over the time. 0: the collective begins when the last rank comes.
inline double delay_benefit(double t0, double delta, double t_delta) { return (t0 + delta - t_delta) / t_delta; }

/// CRESTA's eq. 5, beta: by how much overlapping is faster than one after the other.
inline double overlap_benefit(double collective, double computation, double overlap) {
  return (collective + computation - overlap) / overlap;
}

}  // namespace weft::bench::collectives
