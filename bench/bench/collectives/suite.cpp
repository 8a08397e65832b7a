// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/suite.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "bench/shared/rotation.hpp"
#include "weft/mpi/check.hpp"
#include "weft/simulated.hpp"
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

std::vector<std::unique_ptr<Subject>> Suite::subjects(const std::vector<Entry>& entries, const std::vector<Kind>& kinds,
                                                      const std::vector<std::size_t>& sizes) const {
  std::vector<std::unique_ptr<Subject>> all;
  for (const auto& entry : entries)
    for (const auto kind : kinds) {
      if (!can(entry, kind)) continue;
      for (const auto bytes : sizes) {
        all.push_back(std::make_unique<Subject>(group(), entry, kind, bytes, patient));
        if (!entry.sized) break;
      }
    }
  return all;
}

void Suite::measure(std::vector<Measurement>& all, double seconds, std::size_t fewest) const {
  MeasureOptions how{.seconds = seconds, .warm_up = options.quick ? 10U : 100U, .fewest = fewest, .seed = options.seed};
  if constexpr (simulated::here) {  // simulated runs differ only in the late ranks
    how.warm_up = 1;
    how.fewest = how.batch = options.delayed.starts_with("random") ? 10U : 4U;
  }
  collectives::measure(world, clock, synchroniser, all, how);
}

void Suite::tell(const Measurement& m, Key key) {
  key.emplace_back("late", m.late);
  key.emplace_back("converged", m.converged);
  key.emplace_back("right", m.wrong == 0);
  std::vector<double> samples;
  for (const double s : m.seconds)
    samples.push_back(std::round(s * 1e10) / 1e4);  // us; more digits are below the clock's resolution
  const auto interval = median_interval(samples);
  report.result(m.name, spread_of(samples), "us", {.key = std::move(key), .samples = samples, .interval = interval});
  if (m.seconds.empty()) report.note(m.name + ": Nothing was measured (in every run some rank was late).");
  if (m.wrong == 0) return;
  ++failed;
  report.note(fmt::format("FAILED: {}: wrong results ({} times).", m.name, m.wrong));
}

void Suite::tell(const std::string& what, const std::function<Estimate()>& estimate, Key key) {
  if (world.rank() != 0) return;
  const auto e = estimate();
  report.result(what, e.spread, "", {.key = std::move(key), .interval = e.interval});
}

Key key_of(const char* experiment, const Subject& subject) {
  return {{"experiment", experiment},
          {"operation", subject.entry().name},
          {"kind", kind_names.of(subject.kind())},
          {"bytes", subject.bytes()}};
}

Measurement measurement_of(Subject& subject) {
  return {.name = subject.name(),
          .run = [&subject] { subject.run(); },
          .prepare = [&subject] { subject.fill(); },
          .right = [&subject] { return subject.right(); },
          .synchronises = subject.entry().synchronises};
}

}  // namespace weft::bench::collectives
