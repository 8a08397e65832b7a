/* SPDX-License-Identifier: BSD-3-Clause */
/* A small Jacobi solver in plain MPI, for the tests of libweft_advise: the rows are distributed, and each of four fields
 * (four unknowns of one problem) sends a row up and a row down.
 *   jacobi sendrecv|isend|persistent N[xROWS] STEPS [time]
 * N points per row, and N rows (or ROWS) on all ranks together; `time` prints the seconds of the steps.
 * isend: four messages per peer and one MPI_Waitall. sendrecv: eight MPI_Sendrecv. An all-reduce in every step. Prints a
 * checksum. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { fields = 4 };
static int rank, ranks, n, rows;
static double *now[fields], *next[fields];

static double* row(double* field, int i) { return field + (size_t)i * (size_t)n; }

static void halo_sendrecv(int up, int down) {
  for (int f = 0; f < fields; ++f) {
    MPI_Sendrecv(row(now[f], 1), n, MPI_DOUBLE, up, f, row(now[f], rows + 1), n, MPI_DOUBLE, down, f, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(row(now[f], rows), n, MPI_DOUBLE, down, f, row(now[f], 0), n, MPI_DOUBLE, up, f, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

static int post(int up, int down, MPI_Request* requests) {
  int count = 0;
  for (int f = 0; f < fields; ++f) {
    MPI_Irecv(row(now[f], rows + 1), n, MPI_DOUBLE, down, f, MPI_COMM_WORLD, &requests[count++]);
    MPI_Irecv(row(now[f], 0), n, MPI_DOUBLE, up, f, MPI_COMM_WORLD, &requests[count++]);
    MPI_Isend(row(now[f], 1), n, MPI_DOUBLE, up, f, MPI_COMM_WORLD, &requests[count++]);
    MPI_Isend(row(now[f], rows), n, MPI_DOUBLE, down, f, MPI_COMM_WORLD, &requests[count++]);
  }
  return count;
}

static int prepare(int up, int down, int f, MPI_Request* requests) {
  MPI_Recv_init(row(now[f], rows + 1), n, MPI_DOUBLE, down, f, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(row(now[f], 0), n, MPI_DOUBLE, up, f, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(row(now[f], 1), n, MPI_DOUBLE, up, f, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(row(now[f], rows), n, MPI_DOUBLE, down, f, MPI_COMM_WORLD, &requests[3]);
  return 4;
}

static double update(int first, int last) {
  double change = 0;
  for (int f = 0; f < fields; ++f)
    for (int i = first; i <= last; ++i)
      for (int j = 1; j < n - 1; ++j) {
        const double value =
            0.25 * (row(now[f], i - 1)[j] + row(now[f], i + 1)[j] + row(now[f], i)[j - 1] + row(now[f], i)[j + 1]);
        const double difference = value - row(now[f], i)[j];
        row(next[f], i)[j] = value;
        change += difference * difference;
      }
  return change;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* mode = argc > 1 ? argv[1] : "isend";
  n = argc > 2 ? atoi(argv[2]) : 64;
  const int steps = argc > 3 ? atoi(argv[3]) : 50;
  const char* x = argc > 2 ? strchr(argv[2], 'x') : NULL;
  rows = (x != NULL ? atoi(x + 1) : n) / ranks;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  const size_t size = (size_t)(rows + 2) * (size_t)n;
  for (int f = 0; f < fields; ++f) {
    now[f] = calloc(size, sizeof(double));
    next[f] = calloc(size, sizeof(double));
    for (size_t i = 0; i < size; ++i) now[f][i] = (double)((i * 7919 + (size_t)(f + rank)) % 101) / 101;
    memcpy(next[f], now[f], size * sizeof(double));
  }
  MPI_Request requests[4 * fields];
  MPI_Request prepared[4 * fields];
  const int persistent = strcmp(mode, "persistent") == 0;
  if (persistent)
    for (int f = 0; f < fields; ++f) prepare(up, down, f, prepared + 4 * f);
  double all = 0;
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    double change = 0;
    if (strcmp(mode, "sendrecv") == 0) {
      halo_sendrecv(up, down);
      change = update(1, rows);
    } else {
      if (persistent) MPI_Startall(4 * fields, prepared);
      else post(up, down, requests);
      change = update(2, rows - 1);
      MPI_Waitall(4 * fields, persistent ? prepared : requests, MPI_STATUSES_IGNORE);
      change += update(1, 1) + (rows > 1 ? update(rows, rows) : 0);
    }
    if (!persistent) /* persistent requests have a fixed array */
      for (int f = 0; f < fields; ++f) {
        double* old = now[f];
        now[f] = next[f];
        next[f] = old;
      }
    else
      for (int f = 0; f < fields; ++f) memcpy(row(now[f], 1), row(next[f], 1), (size_t)rows * (size_t)n * sizeof(double));
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - start;
  if (rank == 0) printf("change %.17g\n", all);
  if (rank == 0 && argc > 4) printf("seconds %.6f\n", seconds);
  if (persistent)
    for (int i = 0; i < 4 * fields; ++i) MPI_Request_free(&prepared[i]);
  MPI_Finalize();
  return 0;
}
