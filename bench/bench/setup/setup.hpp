// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "bench/shared/report.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

struct SetupBenchOptions : Options {
  std::filesystem::path case_file;
  std::int64_t sites = 5'000'000;  ///< approximate number; 0: voxel of the case
  int repeats = 0;                 ///< 0: 3 if quick, else 7
};

/// The cost to set up a vessel, from its surface to each rank's sites: time, and the peak memory of all ranks, compared
/// with the memory of the lattice's populations. Collective.
void setup(Transport& transport, const SetupBenchOptions& options);

}  // namespace weft::bench
