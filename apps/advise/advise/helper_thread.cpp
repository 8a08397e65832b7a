// SPDX-License-Identifier: BSD-3-Clause
#include "advise/helper_thread.hpp"

#include "advise/session.hpp"

namespace weft::advise {

HelperThread::HelperThread() : own_(MPI_COMM_WORLD) {
  progress_.emplace(own_, ProgressOptions{.kind = ProgressOptions::Kind::thread});
  progress_->attach(*this);
}

HelperThread::~HelperThread() { stop(); }

Driven::Result HelperThread::drive() noexcept {
  if (wanted_.load(std::memory_order_relaxed) <= 0) return Result::idle;
  const Nested nested;
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, 0, own_.handle(), &found, MPI_STATUS_IGNORE);
  return Result::waiting;
}

}  // namespace weft::advise
