// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct StepsOptions : Options {
  double sites = 1e6;              ///< of the whole lattice
  double seconds_per_site = 1e-7;  ///< of a step
  double imbalance = 0.05;         ///< each rank's steps take up to so much longer, another share in each
  std::vector<std::string> monitors{"none", "rounds", "phased"};  ///< and nonblocking, blocking
  std::vector<std::int64_t> images{0};                            ///< in all steps
  double steady_imbalance = 0;  ///< and each rank has a share of so much more sites, always
  std::vector<std::string> modes{"coalesced", "separate"};
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::polling};
  bool sleep = false;               ///< a rank that computes sleeps: for more ranks than cores
  double image_seconds = 3.4e-3;    ///< of a rank, to cast its part of one (paper 000: a second time 0.0034 s an image)
  double image_imbalance = 0;       ///< a rank's part takes up to so much longer, or less long, another share each time
  std::size_t image_bytes = 16384;  ///< of one rank's part, which are joined by a tree
  std::int64_t steps = 50;
  std::int64_t warm_up = 0;  ///< steps before; 0: as many. At least those between two images, and of a monitor.
};

/// Steps of a made-up lattice program: what it computes is time that is spent, what it says is real. Each rank sends
/// faces to its neighbours on a 3-D grid, monitors are asked for in each step (paper 001, section 6), and pictures are
/// joined by a tree, a round a step (paper 000, Table 1), all in one exchange or each in its own. Collective.
void steps(mpi::Communicator& world, const StepsOptions& options);

}  // namespace weft::bench
