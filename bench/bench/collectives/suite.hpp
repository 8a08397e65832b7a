// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the experiments of the suite.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "bench/collectives/collectives.hpp"
#include "bench/collectives/measure.hpp"
#include "bench/collectives/operation.hpp"
#include "weft/collective/round_operation.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench::collectives {

/// An operation of one kind and size that can be run repeatedly.
class Subject {
 public:
  /// `patient`: waits with test and yield, since MPI's waits spin and keep other ranks off the core. Collective.
  Subject(const Group& group, const Entry& entry, Kind kind, std::size_t bytes, bool patient);
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject();

  void fill() { operation_->fill(); }
  bool right() const { return operation_->right(); }
  /// A blocking operation is complete when this returns.
  void start();
  bool test();
  void wait();
  void run() {
    start();
    wait();
  }

  const Entry& entry() const { return entry_; }
  Kind kind() const { return kind_; }
  std::size_t bytes() const { return bytes_; }
  /// "allreduce nonblocking 8 B"
  std::string name() const;

 private:
  void check(int code) const;

  Entry entry_;
  Kind kind_;
  std::size_t bytes_;
  bool patient_, active_ = false;
  int rank_;
  std::unique_ptr<Operation> operation_;
  std::unique_ptr<RoundOperation> rounds_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// A subject that a Progress object progresses while the program computes.
class DrivenSubject final : public Progressable {
 public:
  DrivenSubject(Subject& subject, Progress& progress) : subject_(subject), progress_(progress) {
    progress_.attach(*this);
  }
  ~DrivenSubject() override { progress_.detach(*this); }

  void start();
  void poll() { progress_.poll(*this); }
  void wait();
  Result drive() noexcept override;

 private:
  Subject& subject_;
  Progress& progress_;
  std::mutex mutex_;  // guards the following members, and the subject while it is in flight
  bool in_flight_ = false;
  std::exception_ptr failure_;
};

using Key = std::vector<std::pair<std::string, Report::Setting>>;

struct Suite {
  mpi::Communicator& world;
  const CollectivesOptions& options;
  GlobalClock& clock;
  Synchroniser& synchroniser;
  Report& report;
  bool patient;  ///< more ranks than cores
  std::size_t failed = 0;

  Group group() const { return {world.handle(), world.rank(), world.size(), &world}; }
  /// All operations in their kinds and sizes. Operations without data have one size. Collective.
  std::vector<std::unique_ptr<Subject>> subjects(const std::vector<Entry>& entries, const std::vector<Kind>& kinds,
                                                 const std::vector<std::size_t>& sizes) const;
  void measure(std::vector<Measurement>& all, double seconds, std::size_t fewest = 20) const;
  /// Adds a time to the report, and whether its results were right.
  void tell(const Measurement& m, Key key);
  /// Adds a ratio. It is only estimated on rank 0, which writes the report.
  void tell(const std::string& what, const std::function<Estimate()>& estimate, Key key);
};

Key key_of(const char* experiment, const Subject& subject);
/// A measurement of complete runs of a subject.
Measurement measurement_of(Subject& subject);

void times(Suite& suite, const std::vector<Entry>& entries, double seconds);
void delays(Suite& suite, const std::vector<Entry>& entries, double seconds);
void overlaps(Suite& suite, const std::vector<Entry>& entries, double seconds);

}  // namespace weft::bench::collectives
