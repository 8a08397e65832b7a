/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that use MPI in unusual ways, for the tests of libweft_advise: ways WHAT. Each prints its result. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks, peer, finalized;
static double in[1000], out[1000];

/* Steps that libweft_advise can detect: a message in each direction, and a sum. */
static void steps(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Request requests[2];
    double sum = 0;
    MPI_Irecv(in, 1000, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 1000, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    out[0] = 1e-3 * sum;
  }
}

static void at_exit(void) {
  if (!finalized) MPI_Finalize();
  finalized = 1;
}

static void one_sided(void) {
  MPI_Win win;
  MPI_Win_create(in, sizeof in, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < 50; ++i) {
    MPI_Win_fence(0, win);
    MPI_Put(out, 100, MPI_DOUBLE, peer, 0, 100, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  }
  MPI_Win_free(&win);
}

static void matched(void) {
  for (int i = 0; i < 50; ++i) {
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    MPI_Isend(out, 1000, MPI_DOUBLE, peer, 3, MPI_COMM_WORLD, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
    if (i % 2 == 0) {
      MPI_Mrecv(in, 1000, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    } else {
      MPI_Request receive;
      MPI_Imrecv(in, 1000, MPI_DOUBLE, &message, &receive);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* Between the collectives, one rank has many calls of its own, alternately from two call sites. */
static void uneven(void) {
  for (int i = 0; i < 60; ++i) {
    double sum = 0;
    for (int j = 0; j < 20 && rank == 1; ++j) {
      MPI_Barrier(MPI_COMM_SELF);
      MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
      usleep(20);
    }
    MPI_Bcast(out, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Reduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
}

/* Requests that are freed while their messages are in flight. */
static void freed(void) {
  for (int i = 0; i < 50; ++i) {
    MPI_Request request;
    MPI_Isend(out, 1000, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(in, 1000, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* So many calls that most are not recorded, while communicators are made and freed. */
static void many(void) {
  for (int i = 0; i < 150000; ++i) {
    MPI_Sendrecv(out, 1, MPI_DOUBLE, peer, 5, in, 1, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 10000 == 0) {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Comm_free(&comm);
    }
  }
}

#if MPI_VERSION >= 4
static void large(void) {
  for (int i = 0; i < 50; ++i) {
    MPI_Request requests[2];
    MPI_Irecv_c(in, 1000, MPI_DOUBLE, peer, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 1000, MPI_DOUBLE, peer, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void partitioned(void) {
  MPI_Request requests[2];
  MPI_Psend_init(out, 4, 250, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 4, 250, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 50; ++i) {
    MPI_Startall(2, requests);
    for (int p = 0; p < 4; ++p) MPI_Pready(p, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void persistent_collectives(void) {
  MPI_Request request;
  MPI_Allreduce_init(out, in, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 50; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

/* A program without MPI_Init. */
static int sessions(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  double sum = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "ways", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < 50; ++i) MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  if (rank == 0) printf("sum %g\n", sum);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return 0;
}
#endif

static int is(const char* what, const char* name) { return strcmp(what, name) == 0; }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "steps";
  const double wanted = argc > 2 ? atof(argv[2]) : 0;
#if MPI_VERSION >= 4
  if (is(what, "sessions")) return sessions();
#endif
  if (is(what, "chdir") && chdir("/") != 0) return 9;
  if (is(what, "atexit")) atexit(at_exit);
  int provided = -1;
  if (is(what, "threads")) MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  else MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  peer = (rank ^ 1) < ranks ? rank ^ 1 : rank;
  for (int i = 0; i < 1000; ++i) out[i] = i + rank;
  if (is(what, "threads")) {
    int level = -1;
    MPI_Query_thread(&level);
    if (rank == 0) printf("threads %d %d\n", provided == MPI_THREAD_FUNNELED, level == MPI_THREAD_FUNNELED);
  }
  if (is(what, "one_sided")) one_sided();
  else if (is(what, "matched")) matched();
  else if (is(what, "uneven")) uneven();
  else if (is(what, "freed")) freed();
  else if (is(what, "many")) many();
#if MPI_VERSION >= 4
  else if (is(what, "large")) large();
  else if (is(what, "partitioned")) partitioned();
  else if (is(what, "persistent")) persistent_collectives();
#endif
  else steps(50);
  if (is(what, "fork")) {
    const pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
  }
  if (is(what, "spawn")) {
    MPI_Comm parent, both;
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both, MPI_ERRCODES_IGNORE);
    else both = parent;
    MPI_Comm_disconnect(&both);
    if (parent != MPI_COMM_NULL) rank = 1;
  }
  if (rank == 0) printf("in %.3f\n", in[1]);
  fflush(stdout);
  if (is(what, "abort") && rank == ranks - 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (is(what, "crash") && rank == ranks - 1) raise(SIGSEGV);
  if (is(what, "killed") && rank == ranks - 1) raise(SIGKILL);
  if (is(what, "exit") && rank == ranks - 1) exit(4);
  if (is(what, "abort") || is(what, "crash") || is(what, "killed") || is(what, "exit")) sleep(30);
  if (is(what, "late") && rank == (int)wanted) sleep(4);
  if (is(what, "atexit")) exit(0);
  MPI_Finalize();
  return 0;
}
