// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct PackBenchOptions : Options {
  std::vector<std::string> files;   ///< what is packed; none: gathered from /usr
  std::uint64_t bytes = 200000000;  ///< of it at most (quick: 60 MB)
  std::vector<std::string> codecs = {"zstd", "bzip2"};
  std::size_t window = 3;
  bool tools = true;   ///< lbzip2, pbzip2 and zstd -T beside it, where they are installed
  double seconds = 0;  ///< of measuring each codec; 0: 60, quick 18
};

/// How fast `weft pack` is: pipelined, written by all, and compress-then-gather (paper 004's plain version), beside
/// lbzip2, pbzip2 and zstd -T with as many threads as there are ranks, all in turns on the same file. Collective.
void pack(mpi::Communicator& world, const PackBenchOptions& options);

}  // namespace weft::bench
