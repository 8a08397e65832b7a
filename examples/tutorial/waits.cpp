// SPDX-License-Identifier: BSD-3-Clause
//
// Where docs/tutorial.md begins: heat in the wall of a tube, in plain MPI. It waits twice per step.
#include <mpi.h>

#include "settings.hpp"
#include "tube.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Settings settings;
  if (!read(argc, argv, rank, ranks, settings)) {
    MPI_Finalize();
    return 2;
  }
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  const int n = static_cast<int>(settings.columns);
  Tube heat(settings.rows, settings.columns, rank, ranks, 0.2);

  const double start = MPI_Wtime();
  // [step]
  for (int step = 1; step <= settings.steps; ++step) {
    heat.copy_edges();
    MPI_Request requests[4];
    MPI_Irecv(heat.below.data(), n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(heat.above.data(), n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(heat.top.data(), n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(heat.bottom.data(), n, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

    const double change = heat.update(0, heat.rows());
    heat.finish_step();

    double largest = 0;
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && step % 100 == 0) print_change(step, largest);
  }
  // [step end]
  const double seconds = MPI_Wtime() - start;

  const std::uint64_t mine = heat.fingerprint();
  std::uint64_t all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    print_end("heat", all);
    print_time(seconds, settings);
  }
  MPI_Finalize();
  return 0;
}
