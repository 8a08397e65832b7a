// SPDX-License-Identifier: BSD-3-Clause
#include "flow/step/ramp.hpp"

#include "flow/case/half_cosine.hpp"

namespace weft::flow {

double Ramp::at(std::int64_t step) const {
  if (step < first) return from;
  if (step >= first + steps - 1) return to;
  return from + (to - from) * half_cosine(static_cast<double>(step - first + 1) / static_cast<double>(steps));
}

}  // namespace weft::flow
