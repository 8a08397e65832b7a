// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/shared/global_clock.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/names.hpp"

namespace weft::bench::collectives {

enum class Sync : std::uint8_t {
  barrier,  ///< MPI_Ibarrier, completed with test and yield
  window,   ///< at agreed times of the global clock
};
inline constexpr Names<Sync> sync_names("synchronisation", {{Sync::barrier, "barrier"}, {Sync::window, "window"}});

/// Starts repetitions on all ranks at the same time.
class Synchroniser {
 public:
  /// Collective. `patient`: yields the core while it waits.
  Synchroniser(mpi::Communicator& world, const GlobalClock& clock, Sync sync, bool patient);

  /// Begins a series of repetitions that take about `length` seconds each. Collective.
  void begin(double length);
  /// Waits for the next start, and `delay` seconds longer. False if this rank arrived after the start (windows).
  bool next(double delay);

 private:
  void meet();
  void wait_until(double time) const;

  mpi::Communicator& world_;
  const GlobalClock& clock_;
  Sync sync_;
  bool patient_;
  double notice_ = 0;  // seconds that the ranks need to agree on a time
  double start_ = 0, length_ = 0;
};

/// CRESTA's eq. 3: the used part of the delay / t_delta. 0: the collective begins when the last rank arrives.
inline double delay_benefit(double t0, double delta, double t_delta) { return (t0 + delta - t_delta) / t_delta; }

/// CRESTA's eq. 5, beta: the gain of overlapping over running one after the other.
inline double overlap_benefit(double collective, double computation, double overlap) {
  return (collective + computation - overlap) / overlap;
}

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
