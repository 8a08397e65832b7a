/* SPDX-License-Identifier: BSD-3-Clause */
/* ../waits.cpp in C: where docs/tutorial.md begins. It waits twice per step. */
#include <mpi.h>

#include "settings.h"
#include "tube.h"

int main(int argc, char** argv) {
  int rank, ranks;
  const settings of = begin(argc, argv, MPI_THREAD_SINGLE, &rank, &ranks);
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks, n = (int)of.columns;
  tube heat = tube_create(of.rows, of.columns, rank, ranks, 0.2);

  const double start = MPI_Wtime();
  for (int step = 1; step <= of.steps; ++step) {
    tube_copy_edges(&heat);
    MPI_Request requests[4];
    MPI_Irecv(heat.below, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(heat.above, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(heat.top, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(heat.bottom, n, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

    const double change = tube_update(&heat, 0, heat.rows);
    tube_finish_step(&heat);

    double largest = 0;
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && step % 100 == 0) print_change(step, largest);
  }
  const double seconds = MPI_Wtime() - start;

  print_end("heat", tube_fingerprint(&heat), rank);
  print_time(seconds, of.steps, rank);
  tube_free(&heat);
  MPI_Finalize();
  return 0;
}
