// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft {

/// Where a number lives.
struct Owner {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::uint64_t index = 0;      ///< position among the owner's numbers
  std::uint32_t rank = nobody;  ///< the owner
};

/// The owners of this rank's wanted numbers.
struct Owners {
  std::vector<Owner> of;  ///< by position in `wanted`
  std::string problem;    ///< what is wrong with the numbers, as far as this rank knows; empty: nothing
};

/// Finds them. Collective; uses the last two tags of the transport. Another collective must follow before the next
/// call.
Owners find_owners(Transport& transport, std::span<const std::uint64_t> owned, std::span<const std::uint64_t> wanted);

}  // namespace weft
