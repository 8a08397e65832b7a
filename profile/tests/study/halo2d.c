// SPDX-License-Identifier: BSD-3-Clause
// A halo in two directions with derived types: large columns, which the computation's tests drive.
#include "work.h"

enum { width = 8, pieces = 32 };

int main(int argc, char** argv) {
  begin(argc, argv);
  const int height = bytes / (int)sizeof(double);
  double* field = calloc((size_t)height * width, sizeof(double));
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 1}, (int[]){1, 1}, 0, &grid);
  MPI_Datatype column, row;
  MPI_Type_vector(height, 1, width, MPI_DOUBLE, &column);
  MPI_Type_contiguous(width, MPI_DOUBLE, &row);
  MPI_Type_commit(&column);
  MPI_Type_commit(&row);
  const MPI_Datatype types[2] = {column, row};
  const size_t last[2] = {width - 1, (size_t)(height - 1) * width};
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[8];
    int n = 0;
    if (broken("late_post")) compute(rounds);
    for (int d = 0; d < 2; ++d) {
      int low, high;
      const size_t inner = last[d] / (size_t)(d == 0 ? width - 1 : height - 1);
      MPI_Cart_shift(grid, d, 1, &low, &high);
      MPI_Irecv(field, 1, types[d], low, 2 * d, grid, &requests[n++]);
      MPI_Irecv(field + last[d], 1, types[d], high, 2 * d + 1, grid, &requests[n++]);
      MPI_Isend(field + inner, 1, types[d], low, 2 * d + 1, grid, &requests[n++]);
      MPI_Isend(field + last[d] - inner, 1, types[d], high, 2 * d, grid, &requests[n++]);
    }
    if (broken("barrier")) MPI_Barrier(grid);  // BROKEN barrier
    for (int i = 0; i < pieces && !broken("late_post"); ++i) {
      int done;
      compute(rounds / pieces);
      if (!broken("no_tests")) MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);  // BROKEN late_post BROKEN no_tests
  }
  end();
}
