// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "flow/vessel/vessel.hpp"

namespace weft::bench {

/// A straight vessel with about so many fluid sites, four diameters long, along the diagonal of a plane so that no axis
/// is preferred. Fills `c` with its case (an inlet with a small velocity, an outlet). Collective.
flow::Vessel synthetic_vessel(Transport& transport, std::int64_t sites, flow::Case& c);

}  // namespace weft::bench
