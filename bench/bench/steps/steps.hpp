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
  double seconds_per_site = 1e-7;  ///< per step
  double imbalance = 0.05;  ///< largest random lengthening of a rank's step, as a share of it; varies from step to step
  std::vector<std::string> monitors{"none", "rounds", "phased"};  ///< or nonblocking, blocking
  std::vector<std::int64_t> images{0};                            ///< numbers of pictures in all steps
  double steady_imbalance = 0;  ///< largest constant excess of a rank's sites, as a share of the mean
  std::vector<std::string> modes{"coalesced", "separate"};
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::polling};
  bool sleep = false;               ///< ranks sleep instead of computing, for more ranks than cores
  double image_seconds = 3.4e-3;    ///< time of a rank to draw its part of a picture (paper 000: 0.0034 s per image)
  double image_imbalance = 0;       ///< largest relative deviation of that time, varies from picture to picture
  std::size_t image_bytes = 16384;  ///< of one rank's part; the parts are merged along a tree
  std::int64_t steps = 50;
  std::int64_t warm_up = 0;  ///< untimed steps before; 0: as many; at least a period of images and monitors
};

/// Steps of a synthetic lattice program: computation is only time, messages are real. Each rank sends faces to its
/// neighbours on a 3-D grid, monitors are read in each step (paper 001, section 6), and pictures are merged along a
/// tree, one round per step (paper 000, Table 1), all in one exchange or each in its own. Collective.
void steps(mpi::Communicator& world, const StepsOptions& options);

}  // namespace weft::bench
