// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct CoalesceOptions : TimedOptions {
  std::filesystem::path case_file;          ///< case of a vessel; empty: a straight synthetic vessel
  std::int64_t sites = 200000;              ///< approximate sites of the synthetic vessel
  std::vector<int> clients = {0, 2, 4, 8};  ///< numbers of additional small clients
  std::int64_t bytes = 1024;                ///< bytes that each small client sends to each neighbour
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  std::vector<std::int64_t> images;  ///< numbers of pictures per run; empty: small clients instead
  std::int64_t steps = 0;            ///< steps of a run with pictures; 0: 1000 if quick, else 2000
  std::int32_t picture_size = 0;     ///< pixels along each edge; 0: 256 if quick, else 512
  int repeats = 0;                   ///< repetitions of runs with pictures; 0: 1 if quick, else 3
};

/// Table 1 of Carver et al. on a small scale: the lattice, its monitors and additional small clients, coalesced (one
/// exchange and one wait per step), separate (each client with its own wait, as programs of many modules do), in plain
/// MPI with one wait (PlainStep), and the same computation without messages. Batches are interleaved in one run; the
/// order changes from turn to turn.
///
/// With `images`, clients that make pictures replace the small ones (coalesce_images.hpp).
///
/// Overhead is the time of a step minus that of the same step without messages. Collective.
void coalesce(mpi::Communicator& transport, const CoalesceOptions& options);

}  // namespace weft::bench
