// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weft::flow {

/// (1 - cos(pi x)) / 2 for x in [0, 1]. Uses only additions, multiplications and divisions, so the result is bitwise
/// identical on every machine.
double half_cosine(double x);

/// A value that changes from one to another as half a cosine, and stays there: a pure function of the step, computed
/// with half_cosine, so bitwise identical on every machine.
struct Ramp {
  double from = 0, to = 0;
  std::int64_t first = 0;  ///< the first step with a change
  std::int64_t steps = 0;  ///< the last of them has `to`; 0: no ramp

  bool is_there() const { return steps > 0; }
  bool changes(std::int64_t step) const { return step >= first && step < first + steps; }
  double at(std::int64_t step) const;
};

}  // namespace weft::flow
