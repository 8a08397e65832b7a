/* SPDX-License-Identifier: BSD-3-Clause */
/* A benchmark in the style of OSU's in plain MPI, for the tests of libweft_advise. Ranks work in pairs.
 *   exchange latency BYTES ROUNDS     ping-pong of blocking messages
 *   exchange bandwidth BYTES ROUNDS   windows of 16 messages, and a reply
 *   exchange overlap BYTES ROUNDS MS  posts, computes for MS milliseconds, waits
 *   exchange at_once BYTES ROUNDS MS  computes, posts, waits
 *   exchange tests BYTES ROUNDS       posts, tests 2000 times whatever the tests find, waits
 *   exchange late BYTES ROUNDS MS     the odd ranks compute, then all post and wait
 *   exchange any BYTES ROUNDS         receives from any rank with any tag, by MPI_Waitany, MPI_Test and MPI_Probe
 *   exchange no_finalize|abort BYTES ROUNDS   ends without MPI_Finalize, or with MPI_Abort
 *   exchange loop BYTES ROUNDS        two loops of steps in a communicator of their own
 * A further argument "pcontrol" marks the steps. Prints a checksum, and for latency the microseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, peer, bytes, rounds;
static double work_seconds, sum;
static char *out, *in;

static void compute(void) {
  const double start = MPI_Wtime();
  while (MPI_Wtime() - start < work_seconds)
    for (int i = 0; i < 100; ++i) sum += 1e-9 * i;
}

static void latency(void) {
  for (int i = 0; i < rounds; ++i) {
    if (rank % 2 == 0) MPI_Send(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank % 2 != 0) MPI_Send(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
  }
}

static void bandwidth(void) {
  enum { window = 16 };
  MPI_Request requests[window];
  for (int i = 0; i < rounds; ++i) {
    for (int w = 0; w < window; ++w)
      rank % 2 == 0 ? MPI_Isend(out, bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[w])
                    : MPI_Irecv(in, bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[w]);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    if (rank % 2 == 0) MPI_Recv(in, 4, MPI_BYTE, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else MPI_Send(out, 4, MPI_BYTE, peer, 3, MPI_COMM_WORLD);
  }
}

static void overlap(const char* mode, int mark) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Request requests[2];
    if (strcmp(mode, "at_once") == 0) compute();
    if (strcmp(mode, "late") == 0 && rank % 2 != 0) compute();
    MPI_Irecv(in, bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD, &requests[1]);
    if (strcmp(mode, "overlap") == 0) compute();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (mark) MPI_Pcontrol(1);
  }
}

static void tests(void) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Request requests[2];
    int done;
    MPI_Irecv(in, bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD, &requests[1]);
    for (int k = 0; k < 2000; ++k) MPI_Test(&requests[k % 2], &done, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void any(void) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Request requests[3];
    MPI_Status status;
    int index = 0, done = 0;
    MPI_Irecv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, peer, 5, MPI_COMM_WORLD, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    for (int k = 0; k < 2; ++k) MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    MPI_Isend(out, bytes, MPI_BYTE, peer, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Probe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
    MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!done) MPI_Test(&requests[1], &done, &status);
    if (status.MPI_ERROR != MPI_SUCCESS && i < 0) printf("never\n");
  }
}

static void loop(void) {
  MPI_Comm pair;
  double mine = rank, all = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair);
  for (int i = 0; i < rounds; ++i) {
    int other = 0;
    MPI_Comm_rank(pair, &other);
    MPI_Request requests[2];
    MPI_Irecv(in, bytes, MPI_BYTE, 1 - other, 7, pair, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, 1 - other, 7, pair, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    if (i % 10 == 9) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  sum += all;
  MPI_Comm_free(&pair);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* mode = argc > 1 ? argv[1] : "latency";
  bytes = argc > 2 ? atoi(argv[2]) : 8;
  rounds = argc > 3 ? atoi(argv[3]) : 1000;
  work_seconds = argc > 4 ? 1e-3 * atof(argv[4]) : 0;
  peer = (rank ^ 1) < ranks ? rank ^ 1 : rank;
  out = malloc((size_t)bytes + 4);
  in = malloc((size_t)bytes + 4);
  memset(in, '.', (size_t)bytes + 4);
  memset(out, 'a' + rank % 26, (size_t)bytes + 4);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (strcmp(mode, "latency") == 0) latency();
  if (strcmp(mode, "bandwidth") == 0) bandwidth();
  if (strcmp(mode, "overlap") == 0 || strcmp(mode, "at_once") == 0 || strcmp(mode, "late") == 0)
    overlap(mode, argc > 5 && strcmp(argv[5], "pcontrol") == 0);
  if (strcmp(mode, "tests") == 0) tests();
  if (strcmp(mode, "any") == 0) any();
  if (strcmp(mode, "loop") == 0) loop();
  const double seconds = MPI_Wtime() - start;
  if (rank == 0) printf("got %c\n", in[0]);
  if (rank == 0 && argc > 5) printf("microseconds %.4f\n", 1e6 * seconds / rounds);
  if (strcmp(mode, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(mode, "abort") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(mode, "no_finalize") == 0) {
    if (rank != 0) sleep(20);  /* only rank 0 exits, and mpirun ends the other ranks then */
    return 4;
  }
  MPI_Finalize();
  return 0;
}
