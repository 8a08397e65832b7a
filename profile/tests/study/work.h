// SPDX-License-Identifier: BSD-3-Clause
// What the programs of the study in C have in common (study.py).
//
//   PROGRAM VARIANT BYTES ROUNDS STEPS     VARIANT: works, or what is broken; BYTES of a message; ROUNDS of computation
//   PROGRAM calibrate                      prints rounds per second
//
// Rank 0 prints the seconds of a step. The line that waits if VARIANT is broken has the comment BROKEN VARIANT.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* variant;
static int bytes, steps, rank, other;
static long rounds;
static double start;
static volatile double sink;

__attribute__((noinline)) static void compute(long count) {
  double x = 1;
  for (long i = 0; i < count; ++i) x = x * 1.0000001 + 1e-9;
  sink = x;
}

static int broken(const char* how) { return strcmp(variant, how) == 0; }

static void begin(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  variant = argv[1];
  if (broken("calibrate")) {
    start = MPI_Wtime();
    compute(100000000);
    if (rank == 0) printf("%g\n", 1e8 / (MPI_Wtime() - start));
    MPI_Finalize();
    exit(0);
  }
  bytes = atoi(argv[2]);
  rounds = atol(argv[3]);
  steps = atoi(argv[4]);
  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
}

static void end(void) {
  double mine = (MPI_Wtime() - start) / steps, all;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", all);
  MPI_Finalize();
}
