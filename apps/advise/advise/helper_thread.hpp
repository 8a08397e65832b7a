// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"

namespace weft::advise {

/// Drives the program's own messages between its post and its wait (WEFT_PROGRESS=thread): the helper thread of
/// weft::Progress, which here asks MPI for a message that nobody sends. That makes the library look after all that is
/// in flight, and touches no request of the program's.
class HelperThread final : public Driven {
 public:
  /// Collective. Throws Error if the library was not initialised with MPI_THREAD_MULTIPLE.
  HelperThread();
  ~HelperThread() override;

  /// The program is inside MPI and drives its messages itself.
  void pause() { wanted_.store(0, std::memory_order_relaxed); }
  /// The program is back; so many requests are on their way.
  void resume(std::int64_t outstanding) {
    if (outstanding <= 0) return;
    wanted_.store(outstanding, std::memory_order_relaxed);
    progress_->wake();
  }
  /// Not collective: for the end of a program that does not wait for its other ranks.
  void stop() { progress_.reset(); }
  Result drive() noexcept override;

 private:
  mpi::Communicator own_;
  std::atomic<std::int64_t> wanted_{0};
  std::optional<Progress> progress_;
};

}  // namespace weft::advise
