// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/collectives/synchroniser.hpp"

namespace weft::bench::collectives {

/// An operation of all ranks, and its durations.
struct Measurement {
  enum class Time : std::uint8_t {
    global,  ///< from the first rank's entry to the last rank's exit
    mean,    ///< mean of the ranks' own times
  };

  std::string name;
  std::function<void()> run;
  std::function<void()> prepare{};                  ///< called before a batch of runs
  std::function<bool()> right{};                    ///< called after it: whether this rank's results are right
  std::function<double(std::size_t turn)> delay{};  ///< delay of this rank in seconds
  double longest_delay = 0;                         ///< of any rank
  Time time = Time::global;
  bool synchronises = false;  ///< it is an error if a rank leaves before all have entered

  // The same on all ranks:
  std::vector<double> seconds{};
  std::vector<double> skews{};  ///< time between the first and the last entry, less the delay
  std::size_t late = 0;         ///< dropped runs, for which a rank was late
  std::size_t wrong = 0;        ///< batches after which a rank had a wrong result
  bool converged = false;       ///< the confidence interval of the median is narrow enough
  double length = 0;            ///< seconds of a window
};

struct MeasureOptions {
  double seconds = 10;       ///< approximate time for all measurements; each gets at least `fewest` samples
  std::size_t warm_up = 10;  ///< runs without timing
  std::size_t fewest = 20, most = 1000;
  std::size_t batch = 10;
  double accuracy = 0.05;  ///< half width of the median's 95 % interval, relative to the median
  std::uint64_t seed = 1;
};

/// Runs all measurements in batches, in a new random order each round, until all medians are accurate enough or the
/// time is over. The clock is synchronised again now and then. Collective.
void measure(mpi::Communicator& world, GlobalClock& clock, Synchroniser& synchroniser, std::vector<Measurement>& all,
             const MeasureOptions& options);

}  // namespace weft::bench::collectives
