// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "amr/traffic.hpp"
#include "bench/shared/report.hpp"
#include "weft/exchange/options.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct EngineBenchOptions : TimedOptions {
  std::vector<int> cells;  ///< of level 0 along each axis; empty: 32, 64, 96, 128, quick 64
  std::vector<int>
      blocks;      ///< cells of a block along each axis; empty: 8, 16, 32, quick 16; at least two blocks along an axis
  int levels = 1;  ///< above level 0, each over the middle half of the one below
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::passive, ProgressOptions::Kind::polling,
                                              ProgressOptions::Kind::thread,
                                              ProgressOptions::Kind::send_receive_threads};
  std::vector<Grouping> groupings{Grouping::per_peer, Grouping::by_size, Grouping::per_part};
};

/// `weft wave` on fixed refined levels with each progress mode, and a plain MPI program that posts all messages, waits
/// for all, then computes (figures 4 and 5 of Ramanathan and Parashar, 2002): time of a step by cells, blocks per rank,
/// and ranks; and the cost of progress threads for a computation while messages are in flight. Collective.
void engine(mpi::Communicator& world, const EngineBenchOptions& options);

struct ProgressThreadCost {
  std::string name;
  Spread slowdown;  ///< time of the computation / its time while nothing is in flight; 1: no cost
};

/// The cost of waiting progress threads for a computation: each rank sweeps over blocks of waves while a receive is
/// outstanding whose message is only sent afterwards, and without any message. Collective.
std::vector<ProgressThreadCost> progress_thread_costs(Transport& transport, const std::vector<ProgressOptions>& threads,
                                                      double seconds);

/// Time that baselines spent in their exchanges, in seconds.
struct BaselineClock {
  double seconds = 0;
};

/// Exchanges ghosts as a program without weft, like AMReX's FillBoundary: after the computation all data are packed
/// into one message per peer, receives and sends are posted, MPI_Waitall, all is unpacked. The first test() or wait()
/// does all of this and blocks. Keeps the communicator, but does not own it; the clock runs during the exchanges.
amr::TrafficMaker baseline_of(MPI_Comm comm, std::shared_ptr<BaselineClock> clock);

/// The strongest plain MPI (PlainMessages): one persistent message per peer and plan, receives posted at start(), each
/// message sent when its last block is ready, tests between the blocks. Keeps the communicator, but does not own it.
amr::TrafficMaker early_baseline_of(MPI_Comm comm);

}  // namespace weft::bench
