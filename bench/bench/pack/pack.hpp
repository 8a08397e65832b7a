// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct PackBenchOptions : TimedOptions {
  std::vector<std::string> files;   ///< files to compress; empty: gathered from /usr
  std::uint64_t bytes = 200000000;  ///< largest size of the input (quick: 60 MB)
  std::vector<std::string> codecs = {"zstd", "bzip2"};
  std::size_t window = 3;
  bool tools = true;  ///< also measure lbzip2, pbzip2 and zstd -T, if installed
};

/// The speed of `weft pack`: pipelined, written by all, and compress-then-gather (paper 004's plain version), compared
/// with lbzip2, pbzip2 and zstd -T with as many threads as ranks, all interleaved on the same file. Collective.
void pack(mpi::Communicator& world, const PackBenchOptions& options);

}  // namespace weft::bench
