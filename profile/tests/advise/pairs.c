// SPDX-License-Identifier: BSD-3-Clause
// Messages, computation, or both, to compare the overlap fraction of weft run with the one of their durations
// (pairs.py).
//
//   pairs calibrate
//   pairs comm|comp|both COUNT BYTES DIRECTION SHAPE ROUNDS STEPS
//
//   DIRECTION   both, or one (from even to odd ranks)
//   SHAPE       early: the messages are posted before the computation, and waited for after it
//               tests: the same, with tests between parts of the computation
//               late:  posted and waited for after it
//               half:  the first half early, the others late
//               waits: early, with a wait for each
//   ROUNDS      of the computation in a step
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 256, parts = 20 };
static volatile double sink;

__attribute__((noinline)) static void compute(long rounds) {
  double x = 1;
  for (long i = 0; i < rounds; ++i) x = x * 1.0000001 + 1e-9;
  sink = x;
}

static int count, bytes, one_way, communicates;
static long rounds;
static char *in, *out;

static int post(int from, int to, int rank, int ranks, MPI_Request* requests) {
  int n = 0, peer = rank ^ 1;
  if (!communicates || peer >= ranks) return 0;
  for (int i = from; i < to; ++i)
    if (!one_way || rank % 2 == 1)
      MPI_Irecv(in + (size_t)i * bytes, bytes, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[n++]);
  for (int i = from; i < to; ++i)
    if (!one_way || rank % 2 == 0)
      MPI_Isend(out + (size_t)i * bytes, bytes, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[n++]);
  return n;
}

static void finish(int n, MPI_Request* requests) { MPI_Waitall(n, requests, MPI_STATUSES_IGNORE); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 2) {
    double best = 1;
    for (int i = 0; i < 20; ++i) {
      const double start = MPI_Wtime();
      compute(1000000);
      const double took = MPI_Wtime() - start;
      if (took < best) best = took;
    }
    if (rank == 0) printf("%g\n", 1000000 / best);
    MPI_Finalize();
    return 0;
  }
  communicates = strcmp(argv[1], "comp") != 0;
  count = atoi(argv[2]);
  bytes = atoi(argv[3]);
  one_way = strcmp(argv[4], "one") == 0;
  const char* shape = argv[5];
  rounds = strcmp(argv[1], "comm") == 0 ? 0 : atol(argv[6]);
  const int steps = atoi(argv[7]);
  const int early = strcmp(shape, "late") == 0 ? 0 : strcmp(shape, "half") == 0 ? count / 2 : count;
  in = calloc((size_t)count, (size_t)bytes);
  out = malloc((size_t)count * (size_t)bytes);
  memset(out, 1, (size_t)count * (size_t)bytes);
  MPI_Request requests[2 * most];
  MPI_Barrier(MPI_COMM_WORLD);
  double start = 0;
  for (int step = -2; step < steps; ++step) {
    if (step == 0) start = MPI_Wtime();
    int n = post(0, early, rank, ranks, requests), done;
    if (strcmp(shape, "tests") == 0)
      for (int i = 0; i < parts; ++i) {
        compute(rounds / parts);
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done) n = 0;
      }
    else
      compute(rounds);
    if (strcmp(shape, "waits") == 0)
      for (int i = 0; i < n; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    else
      finish(n, requests);
    n = post(early, count, rank, ranks, requests);
    finish(n, requests);
  }
  double mine = (MPI_Wtime() - start) / steps, all;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", all);
  MPI_Finalize();
  return 0;
}
