// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/subject.hpp"

#include <fmt/format.h>

#include <utility>

#include "weft/mpi/check.hpp"
#include "weft/transport/transport.hpp"
#include "weft/yield.hpp"

namespace weft::bench::collectives {

Subject::Subject(const Group& group, const Entry& entry, Kind kind, std::size_t bytes, bool patient)
    : entry_(entry), kind_(kind), bytes_(entry.sized ? bytes : 0), patient_(patient), rank_(group.rank),
      operation_(entry.make(group, bytes / sizeof(double))) {
  operation_->fill();
  if (kind_ == Kind::persistent) check(operation_->init(&request_));
  if (kind_ != Kind::rounds) return;
  constexpr int tag = 0x7264;  // only one operation is in flight at a time
  const auto what = operation_->collective().value();
  rounds_ = std::make_unique<RoundOperation>(*group.transport, what, algorithms_of(what.kind).front(), tag);
}

Subject::~Subject() {
  if (active_)
    count_abandoned();
  else if (request_ != MPI_REQUEST_NULL)
    MPI_Request_free(&request_);
}

void Subject::check(int code) const { mpi::check(code, entry_.name.c_str(), rank_); }

void Subject::start() {
  switch (kind_) {
    case Kind::blocking: return check(operation_->call());
    case Kind::nonblocking: check(operation_->start(&request_)); break;
    case Kind::persistent: check(MPI_Start(&request_)); break;
    case Kind::rounds: rounds_->start(); break;
  }
  active_ = true;
}

bool Subject::test() {
  if (!active_) return true;
  if (rounds_) {
    active_ = !rounds_->test();
    return !active_;
  }
  int done = 0;
  check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
  active_ = done == 0;
  return !active_;
}

void Subject::wait() {
  if (!active_) return;
  if (!patient_ && !rounds_) {
    check(MPI_Wait(&request_, MPI_STATUS_IGNORE));
    active_ = false;
  }
  while (!test()) yield();
}

std::string Subject::name() const {
  return entry_.sized ? fmt::format("{} {} {} B", entry_.name, kind_names.of(kind_), bytes_)
                      : fmt::format("{} {}", entry_.name, kind_names.of(kind_));
}

void DrivenSubject::start() {
  {
    const std::lock_guard lock(mutex_);
    subject_.start();
    in_flight_ = true;
  }
  progress_.wake();
}

Progressable::Result DrivenSubject::drive() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return Result::waiting;
  if (!in_flight_) return Result::idle;
  try {
    if (!subject_.test()) return Result::waiting;
  } catch (...) {
    failure_ = std::current_exception();
  }
  in_flight_ = false;
  return Result::advanced;
}

void DrivenSubject::wait() {
  if (progress_.kind() == ProgressOptions::Kind::thread) {
    // Never blocks inside MPI while it holds the lock, since the progress thread tests too.
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (!in_flight_ || subject_.test()) break;
      }
      yield();
    }
  } else if (!failure_) {
    subject_.wait();
  }
  const std::lock_guard lock(mutex_);
  in_flight_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace weft::bench::collectives
