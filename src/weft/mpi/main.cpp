// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/main.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <thread>

#include "weft/mpi/check.hpp"
#include "weft/mpi/request.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

[[noreturn]] void abort_job(int rank, const char* what, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "error on rank %d: %s\n", rank, what);
  std::fflush(stderr);
  // A launcher that is told to kill its job may not have read the line yet, and then drops it.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // MPI_Abort does not return; the compiler can't know
}

// All ranks come here. If one of them left something in flight, MPI can't be finalised (it might wait for ever).
void end_in_order(mpi::Communicator& world, int status) {
  if (all_reduce(world, mpi::abandoned_requests().load(), maximum<int>()) == 0) return;
  barrier(world);  // rank 0 has printed
  MPI_Abort(MPI_COMM_WORLD, status);
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
  std::optional<mpi::Communicator> world;  // outlives the handlers: nobody may free it alone
  try {
    world.emplace(MPI_COMM_WORLD);
    status = program(*world);
  } catch (const Error& e) {
    status = dynamic_cast<const InputError*>(&e) != nullptr ? 2 : 1;
    if (!e.everywhere() || !world) abort_job(rank, e.what(), status);
    std::fflush(stdout);
    if (rank == 0) std::fprintf(stderr, "error: %s\n", e.what());
    end_in_order(*world, status);
  } catch (const std::bad_alloc&) {
    abort_job(rank, "there is no memory left. make it smaller, or spread it over more machines.", 1);
  } catch (const std::exception& e) {
    abort_job(rank, e.what(), 1);
  } catch (...) {
    abort_job(rank, "an exception of unknown type", 1);
  }
  world.reset();
  MPI_Finalize();
  return status;
}

}  // namespace weft
