// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/tune_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::flow {

std::string TuneCase::text() const {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  return fmt::format(
      "systolic {} Pa, diastolic {} Pa, mean {} Pa, pulse {} Pa, at opening {}, shares {}, proximal {}, behind {} Pa, "
      "tolerance {}",
      number(systolic), number(diastolic), number(mean), number(pulse), at, share, proximal, behind, tolerance);
}

}  // namespace weft::flow
