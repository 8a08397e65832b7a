// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "bench/shared/global_clock.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench::collectives {

enum class Sync : std::uint8_t {
  barrier,  ///< MPI_Ibarrier, waited for with test and yield
  window,   ///< at times of the global clock that were agreed on before
};

/// Brings all ranks to one start line, again and again.
class Synchroniser {
 public:
  /// Collective. `patient`: gives the core away while it waits.
  Synchroniser(mpi::Communicator& world, const GlobalClock& clock, Sync sync, bool patient);

  /// A row of repetitions that take about `length` seconds each. Collective.
  void begin(double length);
  /// Waits for the next start, and `delay` seconds longer. False if this rank was there only after it (windows).
  bool next(double delay);

 private:
  void meet();
  void wait_until(double time) const;

  mpi::Communicator& world_;
  const GlobalClock& clock_;
  Sync sync_;
  bool patient_;
  double notice_ = 0;  // seconds in which all ranks can have agreed on a time
  double start_ = 0, length_ = 0;
};

}  // namespace weft::bench::collectives
