// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

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

}  // namespace weft::bench::collectives
