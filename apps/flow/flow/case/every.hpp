// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace weft::flow {

/// How often something is done. At most one of the two is given; none: not at all, or only at the end.
struct Every {
  std::optional<double> every_seconds{};  ///< of simulated time
  std::optional<std::int64_t> every_steps{};

  bool is_given() const { return every_seconds || every_steps; }
};

}  // namespace weft::flow
