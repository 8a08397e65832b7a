// SPDX-License-Identifier: BSD-3-Clause
//
// A program that has MPI's sessions only, so there is no MPI_COMM_WORLD. For exit_test.sh.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "weft/exchange/exchange.hpp"
#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/collectives.hpp"

namespace {

// A ring and a sum.
int errors_of_a_ring(weft::Transport& world, weft::ProgressOptions::Kind kind) {
  const int rank = world.rank(), size = world.size();
  const int left = (rank + size - 1) % size;
  const double mine = rank;
  double got = -1, sum = 0;
  weft::Exchange exchange(world,
                          {.progress = std::make_shared<weft::Progress>(world, weft::ProgressOptions{.kind = kind})});
  auto& client = exchange.client("ring");
  client.send((rank + 1) % size, 1, weft::contiguous(std::span(&mine, 1)));
  client.receive(left, 1, weft::contiguous(std::span(&got, 1)));
  exchange.commit();
  auto messages = exchange.start();
  messages.ready_all(0, 0);
  messages.wait();
  for (const double each : weft::all_gather(world, mine)) sum += each;
  return got == left && sum == size * (size - 1) / 2. ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  MPI_Session session;
  MPI_Group all;
  MPI_Comm parent;
  if (MPI_Session_init(info, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS) return 1;
  MPI_Info_free(&info);
  weft::mpi::check(MPI_Group_from_session_pset(session, "mpi://WORLD", &all), "MPI_Group_from_session_pset");
  weft::mpi::check(MPI_Comm_create_from_group(all, "weft", MPI_INFO_NULL, MPI_ERRORS_RETURN, &parent),
                   "MPI_Comm_create_from_group");
  MPI_Group_free(&all);
  int errors = 0;
  {
    weft::mpi::Communicator world(parent);
    MPI_Comm_free(&parent);
    if (world.last_tag() < 32767) ++errors;
    for (const auto kind : {weft::ProgressOptions::Kind::polling, weft::ProgressOptions::Kind::thread})
      errors += errors_of_a_ring(world, kind);
    MPI_Comm half;
    MPI_Comm_split(world.handle(), world.rank() % 2, 0, &half);
    {
      weft::mpi::Communicator part(half);
      MPI_Comm_free(&half);
      errors += errors_of_a_ring(part, weft::ProgressOptions::Kind::polling);
    }
    if (std::strcmp(mode, "end_job") == 0) {
      if (world.rank() == 2) world.end_job("it is over.");
      weft::barrier(world);
      std::puts("nobody should come here");
    }
  }
  if (errors > 0) std::printf("error: %d\n", errors);
  MPI_Session_finalize(&session);
  return errors;
}
