// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>

#include "weft/mpi/check.hpp"
#include "weft/transport/patience.hpp"
#include "weft/transport/transport.hpp"

namespace weft::mpi {

/// How many requests of this process were destroyed while they were active.
inline std::atomic<int>& abandoned_requests() {
  static std::atomic<int> count{0};
  return count;
}

/// A persistent request and its life.
class PersistentRequest final : public Operation {
 public:
  /// Takes over `request`; the numbers are for error messages.
  PersistentRequest(MPI_Request request, const char* call, int rank, int peer)
      : request_(request), call_(call), rank_(rank), peer_(peer) {}

  ~PersistentRequest() override {
    // An active request must not be freed; it is left to MPI_Abort, which is where an abandoned operation leads.
    if (active_)
      ++abandoned_requests();
    else if (request_ != MPI_REQUEST_NULL)
      MPI_Request_free(&request_);
  }

  void start() override {
    active_ = true;
    check(MPI_Start(&request_), call_, rank_, peer_);
  }

  bool test() override {
    if (!active_) return true;
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), call_, rank_, peer_);
    active_ = done == 0;
    patience().tested(!active_);
    return !active_;
  }

 private:
  MPI_Request request_;
  const char* call_;
  int rank_, peer_;
  bool active_ = false;
};

/// A request that each start makes anew: for collectives of a library that has no persistent ones.
class RestartedRequest final : public Operation {
 public:
  /// `begin` makes the request and returns MPI's code.
  RestartedRequest(std::function<int(MPI_Request*)> begin, const char* call, int rank)
      : begin_(std::move(begin)), call_(call), rank_(rank) {}

  ~RestartedRequest() override {
    if (request_ != MPI_REQUEST_NULL) ++abandoned_requests();
  }

  void start() override { check(begin_(&request_), call_, rank_); }

  bool test() override {
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), call_, rank_);
    patience().tested(done != 0);
    return done != 0;
  }

 private:
  std::function<int(MPI_Request*)> begin_;
  const char* call_;
  int rank_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace weft::mpi
