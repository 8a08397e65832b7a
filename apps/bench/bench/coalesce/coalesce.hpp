// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

struct CoalesceOptions : Options {
  std::filesystem::path case_file;          ///< a vessel to run; empty: a straight synthetic one
  std::int64_t sites = 200000;              ///< of the synthetic vessel, about
  std::vector<int> clients = {0, 2, 4, 8};  ///< further small clients
  std::int64_t bytes = 1024;                ///< that each of them sends to each neighbour
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  double seconds = 0;                ///< of measuring; 0: 24 if quick, else 120
  std::vector<std::int64_t> images;  ///< numbers of pictures a run; empty: small clients instead
  std::int64_t steps = 0;            ///< of a run with pictures; 0: 1000 if quick, else 2000
  std::int32_t picture_size = 0;     ///< pixels along either edge; 0: 256 if quick, else 512
  int turns = 0;                     ///< of runs with pictures; 0: 1 if quick, else 3
};

/// Table 1 of Carver et al. in small: the lattice, its monitors and further small clients, coalesced (one exchange and
/// one wait a step) and not (each client with its own wait, as a program without weft would be written), against the
/// same computation without messages. The three are run in turns, in batches, in one run; the order changes from turn
/// to turn.
///
/// With `images`, clients that make pictures take the place of the small ones (coalesce_images.hpp).
///
/// Overhead is the time of a step minus that of the same step without messages. Collective.
void coalesce(Transport& transport, const CoalesceOptions& options);

}  // namespace weft::bench
