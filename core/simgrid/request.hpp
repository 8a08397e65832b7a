// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <utility>
#include <vector>

#include "weft/mpi/check.hpp"
#include "weft/mpi/request.hpp"

namespace weft::mpi {

class SimulatedRequest;
/// The state of this rank.
struct Mine {
  int rank = 0;                           ///< of the world
  int contexts = 0;                       ///< communicators that it created, in the same order as all ranks
  bool has_probed = false;                ///< since simulated::idle() was called last
  std::vector<SimulatedRequest*> active;  ///< in flight: simulated::idle() waits for these
};
Mine& mine();

/// A send or receive on a simulated machine: created anew by each start, since the simulator charges no processor time
/// for a persistent one.
class SimulatedRequest final : public Operation {
 public:
  SimulatedRequest(std::function<int(MPI_Request*)> begin, const char* call, int rank, int peer)
      : begin_(std::move(begin)), call_(call), rank_(rank), peer_(peer) {}
  ~SimulatedRequest() override {
    if (request_ == MPI_REQUEST_NULL) return;
    std::erase(mine().active, this);
    count_abandoned();
  }

  void start() override {
    check(begin_(&request_), call_, rank_, peer_);
    mine().active.push_back(this);
  }
  bool test() override {
    if (request_ == MPI_REQUEST_NULL) return true;
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), call_, rank_, peer_);
    if (done != 0) completed();
    return done != 0;
  }

  MPI_Request handle() const { return request_; }
  /// MPI has completed it, here or in simulated::idle().
  void completed() {
    request_ = MPI_REQUEST_NULL;
    std::erase(mine().active, this);
  }

 private:
  std::function<int(MPI_Request*)> begin_;
  const char* call_;
  int rank_, peer_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace weft::mpi
