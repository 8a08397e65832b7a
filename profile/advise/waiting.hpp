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

/// Returns when all requests are complete; yields the core while it waits. MPI_Wait would spin for a whole time slice
/// in some libraries if there are more ranks than cores. For timed waits, and waits without a deadline.
void finish_at_once(int n, MPI_Request* requests);

/// Returns when all or any of the program's requests are complete, but leaves their completion to the program. Yields
/// the core after each unsuccessful test. `words`: the requests, as in Call.
void yield_until_complete(const std::vector<std::uint64_t>& words, bool all);
/// The same for a message that the program is about to receive or to probe for.
void yield_until_there(int peer, int tag, MPI_Comm comm);

/// Thrown if other ranks did not take part in time.
class Late : public std::exception {
 public:
  const char* what() const noexcept override { return "the other ranks did not do their part in time"; }
};

/// All waits of the library in MPI_Finalize, with one common deadline.
///
/// The waits first yield, then sleep: with more ranks than cores, a rank that spins in MPI (or only yields, next to
/// ranks that sleep in MPI_Finalize) can occupy a core for minutes.
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
  /// Whether the request was complete in time.
  bool finishes(MPI_Request* request, MPI_Status* status = MPI_STATUS_IGNORE);

  /// Memory for messages. After a time-out MPI may still write to it, so then it is never freed.
  template <class T>
  std::vector<T>& keep(std::size_t n) {
    auto made = std::make_shared<std::vector<T>>(n);
    kept_->push_back(made);
    return *made;
  }
  /// Frees all such memory, unless a wait has timed out.
  void free_kept();

  void send_text(const std::string& text, int to, MPI_Comm comm);
  std::string receive_text(int from, MPI_Comm comm);

 private:
  double until_;
  bool late_ = false;
  std::unique_ptr<std::vector<std::shared_ptr<void>>> kept_;
};

}  // namespace weft::advise
