// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <utility>

#include "weft/mpi/check.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/transport/transport.hpp"
#include "weft/yield.hpp"

namespace weft::mpi {

/// Whether MPI's handles may still be freed: MPI is not finalised, and nothing was leaked that it could use.
inline bool may_free() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  return finalised == 0 && abandoned_operations() == 0;
}

/// Waits for `request`, whose start returned `code`, with test and yield, as every wait of weft: MPI's own waits and
/// blocking collectives spin, which costs time slices with more ranks than cores.
inline void finish(int code, MPI_Request& request, const char* call, int rank = -1) {
  check(code, call, rank);
  for (int done = 0;; yield()) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call, rank);
    timeout().tested(done != 0);
    if (done != 0) return;
  }
}

/// Whether an active request can be cancelled; a send can't in MPI-4.
enum class Cancel : bool { impossible, possible };

/// Cancels an active request. True if its buffers are not used any more: it was cancelled, or is complete.
inline bool give_up(MPI_Request& request, Cancel cancel) noexcept {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised != 0 || abandoned_operations() > 0) return false;
  constexpr int tries = 100;  // a message that is being transferred is not cancelled, and may never end
  if (cancel == Cancel::possible && MPI_Cancel(&request) != MPI_SUCCESS) return false;
  for (int i = 0, done = 0; i < tries; ++i)
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0) return done != 0;
  return false;
}

/// A persistent request, owned.
class PersistentRequest final : public Operation {
 public:
  /// Takes over `request`; the other arguments are for error messages.
  PersistentRequest(MPI_Request request, const char* call, int rank, int peer, Cancel cancel = Cancel::impossible)
      : request_(request), call_(call), rank_(rank), peer_(peer), cancel_(cancel) {}

  ~PersistentRequest() override {
    // An active request must not be freed; it is left to MPI_Abort, to which an abandoned operation leads.
    if (abandon() && request_ != MPI_REQUEST_NULL && may_free()) MPI_Request_free(&request_);
  }

  bool abandon() noexcept override {
    if (!active_ || left_) return !active_;
    left_ = !give_up(request_, cancel_);
    active_ = left_;
    if (left_) count_abandoned();
    return !left_;
  }

  void start() override {
    check_none_abandoned();
    check(MPI_Start(&request_), call_, rank_, peer_);
    active_ = true;
  }

  bool test() override {
    if (!active_) return true;
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), call_, rank_, peer_);
    active_ = done == 0;
    timeout().tested(!active_);
    return !active_;
  }

 private:
  MPI_Request request_;
  const char* call_;
  int rank_, peer_;
  Cancel cancel_;
  bool active_ = false, left_ = false;
};

/// A request that each start creates anew: for collectives of a library without persistent ones.
class RestartedRequest final : public Operation {
 public:
  /// `begin` starts the request and returns MPI's code.
  RestartedRequest(std::function<int(MPI_Request*)> begin, const char* call, int rank)
      : begin_(std::move(begin)), call_(call), rank_(rank) {}

  ~RestartedRequest() override { abandon(); }

  bool abandon() noexcept override {
    if (request_ == MPI_REQUEST_NULL || left_) return !left_;
    left_ = !give_up(request_, Cancel::impossible);
    if (left_) count_abandoned();
    return !left_;
  }

  void start() override {
    check_none_abandoned();
    check(begin_(&request_), call_, rank_);
  }

  bool test() override {
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), call_, rank_);
    timeout().tested(done != 0);
    return done != 0;
  }

 private:
  std::function<int(MPI_Request*)> begin_;
  const char* call_;
  int rank_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool left_ = false;
};

}  // namespace weft::mpi
