// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/collectives/synchroniser.hpp"

namespace weft::bench::collectives {

/// Something that all ranks do together, and how long it took, again and again.
struct Measurement {
  enum class Time : std::uint8_t {
    global,  ///< from the first rank's entry to the last one's exit
    mean,    ///< of the ranks' own times
  };

  std::string name;
  std::function<void()> run;
  std::function<void()> prepare{};                  ///< before a batch of runs
  std::function<bool()> right{};                    ///< after it: whether this rank's results are right
  std::function<double(std::size_t turn)> delay{};  ///< seconds this rank comes late
  double longest_delay = 0;                         ///< of any rank
  Time time = Time::global;
  bool synchronises = false;  ///< nobody leaves before all have entered, or it is wrong

  // The same on all ranks:
  std::vector<double> seconds{};
  std::vector<double> skews{};  ///< between the first and the last entry, less the delay
  std::size_t late = 0;         ///< runs that some rank came late to: dropped
  std::size_t wrong = 0;        ///< batches after which a rank had a wrong result
  bool converged = false;       ///< the interval of the median is narrow enough
  double length = 0;            ///< of a window
};

struct MeasureOptions {
  double seconds = 10;       ///< for all of them together, roughly: everything gets the fewest
  std::size_t warm_up = 10;  ///< runs, not timed
  std::size_t fewest = 20, most = 1000;
  std::size_t batch = 10;
  double accuracy = 0.05;  ///< of the 95 % interval of the median, to both sides, as a share of it
  std::uint64_t seed = 1;
};

/// Measures all of them, in batches, in an order that is drawn anew each round, until all medians are known well enough
/// or the time is over. The clock is synchronised now and then. Collective.
void measure(mpi::Communicator& world, GlobalClock& clock, Synchroniser& synchroniser, std::vector<Measurement>& all,
             const MeasureOptions& options);

}  // namespace weft::bench::collectives
