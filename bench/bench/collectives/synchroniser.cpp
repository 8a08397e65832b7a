// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/synchroniser.hpp"

#include <sched.h>

#include <algorithm>

#include "bench/shared/spend.hpp"
#include "weft/mpi/check.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

namespace weft::bench::collectives {

Synchroniser::Synchroniser(mpi::Communicator& world, const GlobalClock& clock, Sync sync, bool patient)
    : world_(world), clock_(clock), sync_(sync), patient_(patient) {
  for (int i = 0; i < 5; ++i) {
    const double from = clock_.now();
    all_reduce(world_, from, maximum<double>());
    notice_ = std::max(notice_, clock_.now() - from);
  }
  notice_ = 2 * all_reduce(world_, notice_, maximum<double>()) + 50e-6;
}

void Synchroniser::begin(double length) {
  length_ = length;
  if (sync_ == Sync::window) start_ = all_reduce(world_, clock_.now(), maximum<double>()) + notice_;
}

bool Synchroniser::next(double delay) {
  if (sync_ == Sync::barrier) {
    meet();
    if (delay > 0) wait_until(clock_.now() + delay);
    return true;
  }
  const bool in_time = clock_.now() < start_;
  wait_until(start_ + delay);
  start_ += length_;
  return in_time;
}

void Synchroniser::meet() {
  if constexpr (simulated::here) return barrier(world_);  // the simulator's MPI_Ibarrier does not synchronise
  MPI_Request request;
  mpi::check(MPI_Ibarrier(world_.handle(), &request), "MPI_Ibarrier", world_.rank());
  for (int done = 0, tests = 1; done == 0; ++tests) {
    mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Ibarrier", world_.rank());
    if (done == 0 && (patient_ || tests % 4096 == 0)) yield();
  }
}

void Synchroniser::wait_until(double time) const {
  if constexpr (simulated::here) return spend(time - clock_.now());
  while (clock_.now() < time)
    if (patient_) sched_yield();
}

}  // namespace weft::bench::collectives
