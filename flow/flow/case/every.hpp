// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace weft::flow {

/// An output interval. At most one of the two is given; none: no output, or only at the end.
struct Every {
  std::optional<double> every_seconds{};  ///< simulated time
  std::optional<std::int64_t> every_steps{};

  bool is_given() const { return every_seconds || every_steps; }
  bool operator==(const Every&) const = default;
};

}  // namespace weft::flow
