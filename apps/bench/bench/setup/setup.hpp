// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "bench/shared/report.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

struct SetupBenchOptions : Options {
  std::filesystem::path case_file;
  std::int64_t sites = 5'000'000;  ///< about; 0: with the case's own voxel
  int repeats = 0;                 ///< 0: 3 if quick, else 7
};

/// What it costs to make a vessel, from its surface to each rank's share: time, and the most memory that all ranks hold
/// meanwhile, against that of the populations on the lattice that the vessel will be. Collective.
void setup(Transport& transport, const SetupBenchOptions& options);

}  // namespace weft::bench
