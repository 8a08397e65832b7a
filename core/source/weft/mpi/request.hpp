// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
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
/// blocking collectives spin, which costs time slices with more ranks than cores. If the wait throws (yield() does),
/// MPI may still use the operation's buffers: `buffers`, which owns them, is then leaked.
inline void finish(int code, MPI_Request& request, const char* call, int rank = -1,
                   const std::shared_ptr<void>& buffers = nullptr) {
  check(code, call, rank);
  try {
    for (int done = 0;; yield()) {
      check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call, rank);
      timeout().tested(done != 0);
      if (done != 0) return;
    }
  } catch (...) {
    leak_until_exit(buffers);
    throw;
  }
}

/// Whether an active request can be cancelled; a send can't in MPI-4.
enum class Cancel : bool { impossible, possible };

/// Whether an active request is complete. Nothing is known once MPI is finalised.
inline bool is_complete(MPI_Request& request) noexcept {
  int finalised = 0, done = 0;
  MPI_Finalized(&finalised);
  if (finalised != 0 || abandoned_operations() > 0) return false;
  return MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
}

/// A persistent request, owned.
class PersistentRequest final : public Operation {
 public:
  /// Takes over `request`; the other arguments are for error messages.
  PersistentRequest(MPI_Request request, const char* call, int rank, int peer, Cancel cancel = Cancel::impossible)
      : request_(request), call_(call), rank_(rank), peer_(peer), cancel_(cancel) {}

  ~PersistentRequest() override {
    // An active request must not be freed; it is left to MPI_Abort, to which an abandoned operation leads.
    if (!abandon())
      count_abandoned();
    else if (request_ != MPI_REQUEST_NULL && may_free())
      MPI_Request_free(&request_);
  }

  bool abandon() noexcept override {
    if (!active_) return true;
    if (cancel_ == Cancel::possible && !is_cancelled_ && may_free()) {
      is_cancelled_ = true;
      MPI_Cancel(&request_);
    }
    active_ = !is_complete(request_);
    return !active_;
  }

  void start() override {
    check_none_abandoned();
    check(MPI_Start(&request_), call_, rank_, peer_);
    active_ = true;
    is_cancelled_ = false;
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
  bool active_ = false, is_cancelled_ = false;
};

/// A request that each start creates anew: for short sends, and for collectives of a library without persistent ones.
class RestartedRequest final : public Operation {
 public:
  /// `begin` starts the request and returns MPI's code.
  RestartedRequest(std::function<int(MPI_Request*)> begin, const char* call, int rank, int peer = -1)
      : begin_(std::move(begin)), call_(call), rank_(rank), peer_(peer) {}

  ~RestartedRequest() override {
    if (!abandon()) count_abandoned();
  }

  bool abandon() noexcept override { return request_ == MPI_REQUEST_NULL || is_complete(request_); }

  void start() override {
    check_none_abandoned();
    check(begin_(&request_), call_, rank_, peer_);
  }

  bool test() override {
    if (request_ == MPI_REQUEST_NULL) return true;
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), call_, rank_, peer_);
    timeout().tested(done != 0);
    return done != 0;
  }

 private:
  std::function<int(MPI_Request*)> begin_;
  const char* call_;
  int rank_, peer_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace weft::mpi
