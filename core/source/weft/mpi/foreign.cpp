// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/foreign.hpp"

#include "weft/mpi/check.hpp"
#include "weft/transport/timeout.hpp"

namespace weft::mpi {
namespace {

class Foreign final : public Operation {
 public:
  explicit Foreign(MPI_Request& request) : request_(request) {}
  void start() override {}
  bool test() override {
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test of a foreign request");
    timeout().tested(done != 0);
    return done != 0;
  }
  bool abandon() noexcept override { return true; }  // it is the program's

 private:
  MPI_Request& request_;
};

}  // namespace

std::unique_ptr<Operation> foreign(MPI_Request& request) { return std::make_unique<Foreign>(request); }

}  // namespace weft::mpi
