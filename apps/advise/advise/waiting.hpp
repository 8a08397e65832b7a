// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "advise/abi/mpi.hpp"

namespace weft::advise {

/// Returns when all are complete. Not MPI_Wait, which in some libraries spins through a whole time slice where there
/// are more ranks than cores. For what is timed, and what needs no deadline: it only yields.
void finish_at_once(int n, MPI_Request* requests);

/// Returns when the program's requests are complete, all or any of them, but leaves the completion to it. Each look
/// that finds nothing gives the core to somebody else. `words`: as Call has them.
void yield_until_complete(const std::vector<std::uint64_t>& words, bool all);
/// The same for a message that the program is about to receive or to probe for.
void yield_until_there(int peer, int tag, MPI_Comm comm);

/// Others did not do their part in time.
class Late : public std::exception {
 public:
  const char* what() const noexcept override { return "the other ranks did not do their part in time"; }
};

/// Everything that weft waits for after the program has called MPI_Finalize, with one deadline for all of it.
///
/// Its waits first yield, then sleep: where there are more ranks than cores, one that spins in MPI (or only yields,
/// next to ranks that sleep in MPI_Finalize) can keep a core from all others for minutes.
class Waiting {
 public:
  explicit Waiting(double seconds);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  double seconds_left() const;
  bool late() const { return late_; }
  /// Throws Late.
  void finish(int n, MPI_Request* requests, MPI_Status* statuses = MPI_STATUSES_IGNORE);
  void finish(MPI_Request request) { finish(1, &request); }
  /// Whether it was complete in time.
  bool finishes(MPI_Request* request, MPI_Status* status = MPI_STATUS_IGNORE);

  /// Memory for messages. Where it got late MPI may still write to it, so it is never freed then.
  template <class T>
  std::vector<T>& keep(std::size_t n) {
    auto made = std::make_shared<std::vector<T>>(n);
    kept_->push_back(made);
    return *made;
  }
  /// All but the last such memory is done with.
  void free_kept();

  void send_text(const std::string& text, int to, MPI_Comm comm);
  std::string receive_text(int from, MPI_Comm comm);

 private:
  double until_;
  bool late_ = false;
  std::unique_ptr<std::vector<std::shared_ptr<void>>> kept_;
};

}  // namespace weft::advise
