// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weft::flow {

/// A value that goes from one to another like half a cosine, and stays there: a pure function of the step, of additions
/// and multiplications alone, so that it is the same bits everywhere.
struct Ramp {
  double from = 0, to = 0;
  std::int64_t first = 0;  ///< the first step that differs
  std::int64_t steps = 0;  ///< the last of so many has `to`; 0: there is no ramp

  bool is_there() const { return steps > 0; }
  bool changes(std::int64_t step) const { return step >= first && step < first + steps; }
  double at(std::int64_t step) const;
};

}  // namespace weft::flow
