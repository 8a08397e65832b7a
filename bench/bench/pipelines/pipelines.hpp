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
  std::size_t repeats = 1;  ///< repetitions of each way

  std::size_t extent = 120;  ///< points along each axis of the FFT's cube
  double point_bytes = 16;
  double flops = 1e9;  ///< per second of one rank; a line of n points needs 5 n log2 n

  double bytes = 146 * 1048576.0;  ///< total input of the compression
  double block_bytes = 1e5;
  double compress_rate = 5e6;  ///< bytes of input per second of one rank
  double ratio = 0.25;         ///< output size / input size
  double variation = 0.2;      ///< largest relative deviation of a block's time and size
};

/// The two programs of Hoefler, Gottschling and Lumsdaine (SPAA 2008) as pipelines of the core library, with synthetic
/// computation and real messages. Each with one blocking communication after all computation, and for each tile and
/// window.
///
/// fft: a cube in slabs. Each slab is transformed along y; then along z plane by plane, each plane is sent to all ranks
/// (all-to-all), and the received planes are transformed along x. compression: the blocks of a rank are compressed; the
/// sizes of a tile's results are sent to rank 0, and then the results. Collective.
void pipelines(mpi::Communicator& world, const PipelinesOptions& options);

}  // namespace weft::bench
