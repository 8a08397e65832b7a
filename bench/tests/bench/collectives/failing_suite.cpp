// SPDX-License-Identifier: BSD-3-Clause
//
// The suite with an operation that fails on the last rank while the other ranks are in it. "error": MPI returns an
// error code. "killed": the rank is killed. In both cases the job must end and leave no report.
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>

#include "bench/collectives/collectives.hpp"
#include "weft/mpi/main.hpp"

namespace {

using namespace weft;
using namespace weft::bench;

class Failing final : public collectives::Operation {
 public:
  Failing(const collectives::Group& group, bool killed) : group_(group), killed_(killed) {}
  void fill() override {}
  bool right() const override { return true; }
  int call() override {
    const bool last = group_.rank == group_.size - 1;
    if (++calls_ == 20 && last) {
      if (killed_) std::raise(SIGKILL);
      return MPI_ERR_OTHER;
    }
    return MPI_Barrier(group_.comm);
  }
  int start(MPI_Request* request) override { return MPI_Ibarrier(group_.comm, request); }
  int init(MPI_Request*) override { return MPI_ERR_OTHER; }

 private:
  collectives::Group group_;
  bool killed_;
  int calls_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const bool killed = argc > 1 && std::strcmp(argv[1], "killed") == 0;
  const std::filesystem::path json = argc > 2 ? argv[2] : "failing_suite.json";
  return weft::main(argc, argv, [&](mpi::Communicator& world) {
    CollectivesOptions o;
    o.quick = true;
    o.kinds = {collectives::Kind::blocking};
    o.delay = o.overlap = false;
    o.json = json;
    collectives_suite(
        world, o, {{.name = "failing", .sized = false, .make = [killed](const collectives::Group& group, std::size_t) {
                      return std::make_unique<Failing>(group, killed);
                    }}});
    return 0;
  });
}
