// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/main.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "weft/mpi/check.hpp"

namespace weft {
namespace {

[[noreturn]] void abort_job(int rank, const char* what, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "error on rank %d: %s\n", rank, what);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // MPI_Abort does not return; the compiler can't know
}

}  // namespace

int main(int& argc, char**& argv, const std::function<int(mpi::Communicator&)>& program, bool threads) {
  int provided = 0;
  if (MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    std::fprintf(stderr, "error: MPI does not start.\n");
    return 1;
  }
  int status = 1;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    mpi::Communicator world(MPI_COMM_WORLD);
    try {
      status = program(world);
    } catch (const Error& e) {
      status = dynamic_cast<const InputError*>(&e) != nullptr ? 2 : 1;
      if (!e.everywhere()) abort_job(rank, e.what(), status);
      std::fflush(stdout);
      if (rank == 0) std::fprintf(stderr, "error: %s\n", e.what());
    }
  } catch (const std::exception& e) {
    abort_job(rank, e.what(), 1);
  } catch (...) {
    abort_job(rank, "an exception of unknown type", 1);
  }
  MPI_Finalize();
  return status;
}

}  // namespace weft
