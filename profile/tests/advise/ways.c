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

/* Receives from any rank that are pending when their communicator is freed, completed in each way. */
static void communicator_freed(void) {
  for (int i = 0; i < 60; ++i) {
    const int way = i % 6;
    int flag = 0, which;
    MPI_Comm comm;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Message message;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Isend(out, 100, MPI_DOUBLE, peer, 4, comm, &requests[1]);
    if (way == 5) MPI_Mprobe(MPI_ANY_SOURCE, 4, comm, &message, &statuses[0]);
    else MPI_Irecv(in, 1000, MPI_DOUBLE, MPI_ANY_SOURCE, 4, comm, &requests[0]);
    MPI_Comm_free(&comm);
    if (way == 0) MPI_Waitall(2, requests, statuses);
    else if (way == 1) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    else if (way == 2) while (!flag) MPI_Testall(2, requests, &flag, statuses);
    else if (way == 3) for (int j = 0; j < 2; ++j) MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    else {
      if (way == 4) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      else MPI_Mrecv(in, 1000, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
  }
}

/* A persistent receive from any rank outlives its communicator. */
static void persistent_freed(void) {
  MPI_Comm comm;
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Recv_init(in, 1000, MPI_DOUBLE, MPI_ANY_SOURCE, 5, comm, &requests[0]);
  MPI_Send_init(out, 100, MPI_DOUBLE, peer, 5, comm, &requests[1]);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 50; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* Wrong calls: what they leave in their outputs is undefined. */
static void errors(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);  /* Open MPI 5 uses it for calls without a communicator */
  for (int i = 0; i < 12; ++i) {
    int n = 1000000000, all[2] = {0x7f7f7f7f, 0x7f7f7f7f}, flag = 1, code = 0, class;
    MPI_Status statuses[2];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    memset(statuses, 0x7f, sizeof statuses);
    if (i == 0) code = MPI_Waitsome(-1, requests, &n, all, statuses);
    else if (i == 1) code = MPI_Testsome(-1, requests, &n, all, statuses);
    else if (i == 2) code = MPI_Waitany(-1, requests, &n, statuses);
    else if (i == 3) code = MPI_Testany(-1, requests, &n, &flag, statuses);
    else if (i == 4) code = MPI_Testall(-1, requests, &flag, statuses);
    else if (i == 5) code = MPI_Waitall(-1, requests, statuses);
    else if (i == 6) code = MPI_Recv(&n, 1, MPI_INT, ranks + 9, 0, MPI_COMM_WORLD, statuses);
    else if (i == 7) code = MPI_Irecv(&n, 1, MPI_INT, ranks + 9, 0, MPI_COMM_WORLD, requests);
    else if (i == 8) code = MPI_Bcast(&n, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    else if (i == 9) code = MPI_Sendrecv(&n, 1, MPI_INT, ranks + 9, 0, &flag, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, statuses);
    else if (i == 10) code = MPI_Isend(&n, -1, MPI_INT, peer, 0, MPI_COMM_WORLD, requests);
    else code = MPI_Probe(ranks + 9, 0, MPI_COMM_WORLD, statuses);
    MPI_Error_class(code, &class);
    if (rank == 0) printf("%d: %d\n", i, class);
  }
  /* One of two messages is too long for its memory. */
  MPI_Request requests[3];
  MPI_Status statuses[3];
  for (int j = 0; j < 2; ++j) MPI_Irecv(in, 10, MPI_DOUBLE, peer, j, MPI_COMM_WORLD, &requests[j]);
  for (int j = 0; j < 2; ++j) MPI_Send(out, j == 0 ? 20 : 10, MPI_DOUBLE, peer, j, MPI_COMM_WORLD);
  requests[2] = MPI_REQUEST_NULL;
  int class, code = MPI_Waitall(3, requests, statuses);
  MPI_Error_class(code, &class);
  if (rank == 0) printf("waitall %d\n", class == MPI_ERR_IN_STATUS);
  for (int j = 0; j < 2; ++j)
    if (requests[j] != MPI_REQUEST_NULL) MPI_Wait(&requests[j], MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A wrapper that is called in turn by a function that waits and by one that does not. */
static double in_slow, in_quick;
__attribute__((noinline)) static double wrapper(double x) {
  double sum;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
__attribute__((noinline)) static double slow(double x) {
  if (rank == 1) usleep(3000);
  const double began = MPI_Wtime();
  x = wrapper(x);
  in_slow += MPI_Wtime() - began;
  return x;
}
__attribute__((noinline)) static double quick(double x) {
  const double began = MPI_Wtime();
  x = wrapper(x);
  in_quick += MPI_Wtime() - began;
  return x;
}
static void turns(void) {
  for (int i = 0; i < 200; ++i) in[2] = quick(slow(1));
  double mine[2] = {in_slow, in_quick}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) fprintf(stderr, "share of slow: %g\n", all[0] / (all[0] + all[1]));
}

/* Receives with more memory than is sent, and collectives in place. */
static void sizes(void) {
  static double all[2000];
  double* const block = all + 100 * rank;
  for (int i = 0; i < 50; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(all, 2000, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 10, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 100, MPI_DOUBLE, MPI_COMM_WORLD);
    if (rank == 0) MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else MPI_Gather(block, 100, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Scatter(all, 100, MPI_DOUBLE, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    else MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, block, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int counts[8], at[8];
    for (int r = 0; r < ranks; ++r) counts[r] = 100, at[r] = 100 * r;
    MPI_Alltoallv(out, counts, at, MPI_DOUBLE, all, counts, at, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, at, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
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
  else if (is(what, "communicator_freed")) communicator_freed();
  else if (is(what, "persistent_freed")) persistent_freed();
  else if (is(what, "errors")) errors();
  else if (is(what, "turns")) turns();
  else if (is(what, "sizes")) sizes();
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
