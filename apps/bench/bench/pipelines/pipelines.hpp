// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct PipelinesOptions : Options {
  std::vector<std::string> cases{"fft", "compression"};
  std::vector<std::size_t> tiles{1, 4, 16};  ///< planes, or blocks
  std::vector<std::size_t> windows{1, 2};
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::passive};
  std::size_t turns = 1;  ///< each way runs so often

  std::size_t extent = 120;  ///< of the FFT's cube
  double point_bytes = 16;
  double flops = 1e9;  ///< a second of one rank, of 5 n log2 n a line of n points

  double bytes = 146 * 1048576.0;  ///< compressed in all
  double block_bytes = 1e5;
  double compress_rate = 5e6;  ///< bytes of input a second of one rank
  double ratio = 0.25;         ///< bytes of output a byte of input
  double variation = 0.2;      ///< blocks take up to so much more or less time, and room
};

/// The two programs of Hoefler, Gottschling and Lumsdaine (SPAA 2008) as pipelines of the core: computing is time that
/// is spent, messages are real. Each by one blocking communication after all was computed, and for each tile and
/// window.
///
/// fft: a cube in slabs. Each slab is transformed along y; then plane by plane along z, each plane goes to all ranks
/// (all-to-all), and what arrives is transformed along x. compression: blocks of a rank are compressed; the sizes of a
/// tile's results go to rank 0, and then the results. Collective.
void pipelines(mpi::Communicator& world, const PipelinesOptions& options);

}  // namespace weft::bench
