/* SPDX-License-Identifier: BSD-3-Clause */
/* Further operations of random_program.c. */

static void play(struct Player* p, int many);

/* --- Messages */

/* A send that needs a receive, of which it learns by an empty message. */
static void ready(struct Player* p) {
  struct Comm* const c = any_intra(p);
  const int n = elements(p), from = draw(p, c->n[0]), to = draw(p, c->n[0]), way = draw(p, 3);
  if (c->comm == MPI_COMM_NULL || from == to) return;
  const int sends = c->world[0][from] == world_rank, receives = c->world[0][to] == world_rank;
  struct Pending one = {.request = MPI_REQUEST_NULL, .receives = receives, .basis = MPI_INT, .bytes = 4ul * (size_t)n};
  char* const data = malloc(one.bytes + 1);
  if (receives) {
    one.into = data;
    CALL(Irecv, data, n, MPI_INT, from, p->op, c->comm, &one.request), MOVED(Irecv, n * 4L);
    sent(c->world[0][from], 0);
    CALL(Send, NULL, 0, MPI_INT, from, p->op, c->comm);
    leave(p, one, 1);
  } else if (sends) {
    one.from = data;
    fill(data, one.bytes, (uint64_t)p->op);
    CALL(Recv, NULL, 0, MPI_INT, to, p->op, c->comm, MPI_STATUS_IGNORE);
    sent(c->world[0][to], n * 4L);
    if (way == 0) CALL(Rsend, data, n, MPI_INT, to, p->op, c->comm), MOVED(Rsend, n * 4L);
    if (way == 1) CALL(Irsend, data, n, MPI_INT, to, p->op, c->comm, &one.request), MOVED(Irsend, n * 4L);
    if (way == 2) {
      CALL(Rsend_init, data, n, MPI_INT, to, p->op, c->comm, &one.request);
      CALL(Start, &one.request), MOVED(Start, n * 4L);
      one.persistent = 1;
    }
    if (way == 0)
      free(data);
    else
      leave(p, one, 1);
  } else {
    free(data);
  }
}

/* A receive that nothing matches. */
static void cancelled(struct Player* p) {
  int into, flag = 0;
  MPI_Request request;
  MPI_Status status;
  const int source = draw(p, 2) ? MPI_ANY_SOURCE : 0;
  CALL(Irecv, &into, 1, MPI_INT, source, 30000, p->comms[0].comm, &request);
  CALL(Cancel, &request);
  CALL(Wait, &request, &status);
  MPI_Test_cancelled(&status, &flag);
  note(p, 5, &flag, sizeof flag);
}

/* One of two messages is longer than its memory. Not with Open MPI 4.1, whose later waits may then hang. */
static void truncated(struct Player* p) {
  const int to = draw(p, world_ranks), from = draw(p, world_ranks);
#ifdef OPEN_MPI
  if (to >= 0 && from >= 0) return;
#endif
  int out[20], in[2][20], classes[3] = {0};
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[3];
  fill(out, sizeof out, (uint64_t)p->op), memset(in, 0x5a, sizeof in);
  for (int i = 0; world_rank == to && i < 2; ++i)
    CALL(Irecv, in[i], 10, MPI_INT, from, p->op + 1000 * i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; world_rank == from && i < 2; ++i) {
    sent(to, i ? 40 : 80);
    CALL(Send, out, i ? 10 : 20, MPI_INT, to, p->op + 1000 * i, MPI_COMM_WORLD), MOVED(Send, i ? 40 : 80);
  }
  if (world_rank != to) return;
  MOVED(Irecv, 80);
  MPI_Error_class(CALL(Waitall, 3, requests, statuses), &classes[0]);
  for (int i = 0; i < 2; ++i) MPI_Error_class(statuses[i].MPI_ERROR, &classes[1 + i]);
  for (int i = 0; i < 2; ++i)
    if (requests[i] != MPI_REQUEST_NULL) CALL(Wait, &requests[i], MPI_STATUS_IGNORE);
  note(p, 8, classes, sizeof classes);
  note(p, 9, in[1], sizeof in[1]);
}

static void partitioned(struct Player* p) {
  const int to = draw(p, world_ranks), from = draw(p, world_ranks), n = 1 + draw(p, 100), times = 1 + draw(p, 2);
#if MPI_VERSION >= 4
  if (to == from || (world_rank != to && world_rank != from)) return;
  const int sends = world_rank == from;
  struct Pending one = {.persistent = 1, .bytes = 16ul * (size_t)n};
  char* const data = malloc(one.bytes);
  fill(data, one.bytes, (uint64_t)(p->op + sends));
  if (sends)
    CALL(Psend_init, data, 4, n, MPI_INT, to, p->op, MPI_COMM_WORLD, MPI_INFO_NULL, &one.request), one.from = data;
  else
    CALL(Precv_init, data, 4, n, MPI_INT, from, p->op, MPI_COMM_WORLD, MPI_INFO_NULL, &one.request), one.into = data;
  for (int t = 0; t < times; ++t) {
    CALL(Start, &one.request), MOVED(Start, 16L * n);
    if (sends) sent(to, 16L * n);
    for (int i = 0; sends && i < 3; ++i) CALL(Pready, i, one.request);
    if (sends) CALL(Pready_range, 3, 3, one.request);
    one.again = t < times - 1;
    complete(p, &one, 1);
  }
#else
  (void)(to + from + n + times);
#endif
}

/* --- All ranks of a communicator */

static void between_groups(struct Player* p) {
  struct Comm* const c = any_comm(p);
  const int kind = draw(p, 7), n = draw(p, 100), root = draw(p, c->n[0]), form = draw(p, 2), later = draw(p, 2);
  if (c->comm == MPI_COMM_NULL || !c->inter) return;
  int rank, others, own;
  MPI_Comm_rank(c->comm, &rank);
  MPI_Comm_size(c->comm, &own);
  MPI_Comm_remote_size(c->comm, &others);
  int side = 0;
  for (int i = 0; i < c->n[1]; ++i) side |= c->world[1][i] == world_rank;
  const int at = side ? root : rank == root ? MPI_ROOT : MPI_PROC_NULL; /* the root is in group 0 */
  struct Pending one = {
      .request = MPI_REQUEST_NULL, .bytes = 4ul * (size_t)(n + 1) * ranks_most, .key = (uint64_t)p->op};
  one.from = malloc(one.bytes), one.into = malloc(one.bytes);
  fill(one.from, one.bytes, (uint64_t)rank), fill(one.into, one.bytes, 7);
  int* const counts = malloc(4ul * (size_t)own); /* of this group only; both groups' sums must be equal */
  for (int i = 0; i < own; ++i) counts[i] = n * others;
  int* const many = malloc(8ul * (size_t)others);
  for (int i = 0; i < others; ++i) many[i] = n, many[others + i] = i * n;
  void *out = one.from, *in = one.into;
  switch (kind) {
    case 0: EITHER(Barrier, Ibarrier, c->comm); break;
    case 1: EITHER(Bcast, Ibcast, in, n, MPI_INT, at, c->comm); break;
    case 2: EITHER(Allreduce, Iallreduce, out, in, n, MPI_INT, MPI_SUM, c->comm); break;
    case 3: EITHER(Allgather, Iallgather, out, n, MPI_INT, in, n, MPI_INT, c->comm); break;
    case 4: EITHER(Gather, Igather, out, at == MPI_PROC_NULL ? 0 : n, MPI_INT, in, n, MPI_INT, at, c->comm); break;
    case 5:
      EITHER(Alltoallv, Ialltoallv, out, many, many + others, MPI_INT, in, many, many + others, MPI_INT, c->comm);
      break;
    default: EITHER(Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, c->comm); break;
  }
  keep(p, counts), keep(p, many);
  if (form == 0) {
    done(p, &one, NULL);
    release(&one);
  } else {
    leave(p, one, later);
  }
}

static void neighbours(struct Player* p) {
  struct Comm* const c = any_intra(p);
#ifdef OPEN_MPI
  const int kinds = 2; /* in Open MPI 4.1, MPI_Dist_graph_create may hang, and leave wrong neighbours */
#else
  const int kinds = 3;
#endif
  const int kind = draw(p, kinds), periodic = draw(p, 2), n = draw(p, 200), times = 1 + draw(p, 3), reorder = 0;
  int way[3], forms[3];
  for (int i = 0; i < 3; ++i) way[i] = draw(p, 5), forms[i] = draw(p, 2);
  if (c->comm == MPI_COMM_NULL) return;
  int rank, degree = 2;
  const int size = c->n[0];
  MPI_Comm_rank(c->comm, &rank);
  int sources[2] = {(rank + size - 1) % size, (rank + 2 * size - 2) % size};
  int destinations[2] = {(rank + 1) % size, (rank + 2) % size};
  MPI_Comm graph;
  if (kind == 0)
    CALL(Cart_create, c->comm, 1, &size, &periodic, reorder, &graph);
  else if (kind == 1)
    CALL(Dist_graph_create_adjacent, c->comm, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
         MPI_INFO_NULL, reorder, &graph);
  else
    CALL(Dist_graph_create, c->comm, 1, &rank, &degree, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &graph);
  int* const numbers = malloc(sizeof(int) * 4);
  MPI_Aint* const places = malloc(sizeof(MPI_Aint) * 2);
  MPI_Datatype* const types = malloc(sizeof(MPI_Datatype) * 2);
  for (int i = 0; i < 2; ++i) numbers[i] = n, numbers[2 + i] = i * n, places[i] = 4 * i * n, types[i] = MPI_INT;
  keep(p, numbers), keep(p, places), keep(p, types);
  for (int t = 0; t < times; ++t) {
    const int form = forms[t];
    struct Pending one = {
        .request = MPI_REQUEST_NULL, .bytes = 8ul * (size_t)n + 8, .key = (uint64_t)(p->op + 1000 * t)};
    char *const out = one.from = malloc(one.bytes), *const in = one.into = malloc(one.bytes);
    fill(out, one.bytes, (uint64_t)(rank + t)), fill(in, one.bytes, 3);
    if (kind == 2) one.bytes = 0; /* the order of the neighbours is not defined */
    const int *const v = numbers, *const d = numbers + 2;
    switch (way[t]) {
      case 0: EITHER(Neighbor_allgather, Ineighbor_allgather, out, n, MPI_INT, in, n, MPI_INT, graph); break;
      case 1: EITHER(Neighbor_alltoall, Ineighbor_alltoall, out, n, MPI_INT, in, n, MPI_INT, graph); break;
      case 2: EITHER(Neighbor_allgatherv, Ineighbor_allgatherv, out, n, MPI_INT, in, v, d, MPI_INT, graph); break;
      case 3: EITHER(Neighbor_alltoallv, Ineighbor_alltoallv, out, v, d, MPI_INT, in, v, d, MPI_INT, graph); break;
      default:
        EITHER(Neighbor_alltoallw, Ineighbor_alltoallw, out, v, places, types, in, v, places, types, graph);
        break;
    }
    if (form == 0)
      done(p, &one, NULL), release(&one);
    else
      leave(p, one, 1);
  }
  complete_collectives(p);
  CALL(Comm_free, &graph);
}

/* --- One-sided, files */

static void window(struct Player* p) {
  struct Comm* const c = any_intra(p);
  const int made = draw(p, 2), way = draw(p, 3), n = 1 + draw(p, 300);
  if (c->comm == MPI_COMM_NULL || p->thread) return;
  int rank, size = c->n[0], *memory = NULL;
  MPI_Comm_rank(c->comm, &rank);
  const int to = (rank + 1) % size;
  const size_t bytes = 4ul * (size_t)(n * (size + 1));
  MPI_Win win;
  if (made == 0)
    CALL(Win_allocate, (MPI_Aint)bytes, 4, MPI_INFO_NULL, c->comm, &memory, &win);
  else
    CALL(Win_create, memory = malloc(bytes), (MPI_Aint)bytes, 4, MPI_INFO_NULL, c->comm, &win);
  char *const out = malloc(4ul * (size_t)n), *const in = malloc(4ul * (size_t)n);
  fill(out, 4ul * (size_t)n, (uint64_t)rank);
  CALL(Win_lock, MPI_LOCK_EXCLUSIVE, rank, 0, win);
  memset(memory, 0, bytes);
  CALL(Win_unlock, rank, win);
  CALL(Barrier, c->comm);
  if (way == 0) CALL(Win_fence, 0, win);
  if (way == 1) CALL(Win_lock, MPI_LOCK_SHARED, to, 0, win);
  if (way == 2) CALL(Win_lock_all, 0, win);
  CALL(Put, out, n, MPI_INT, to, n * rank, n, MPI_INT, win);
  way == 0 ? CALL(Win_fence, 0, win) : CALL(Win_flush, to, win);
  CALL(Accumulate, out, n, MPI_INT, to, n * size, n, MPI_INT, MPI_SUM, win);
  CALL(Get, in, n, MPI_INT, to, n * rank, n, MPI_INT, win);
  if (way == 0)
    CALL(Win_fence, MPI_MODE_NOSUCCEED, win);
  else if (way == 1)
    CALL(Win_unlock, to, win);
  else
    CALL(Win_unlock_all, win);
  CALL(Barrier, c->comm);
  CALL(Win_lock, MPI_LOCK_EXCLUSIVE, rank, 0, win);
  note(p, (uint64_t)p->op + 1, memory, bytes); /* not what was got: MPICH 4.0.2 may get it before it is put */
  CALL(Win_unlock, rank, win);
  CALL(Win_free, &win);
  if (made == 1) free(memory);
  free(out), free(in);
}

static void file(struct Player* p) {
  struct Comm* const c = any_intra(p);
  const int n = draw(p, 500), together = draw(p, 2);
  if (c->comm == MPI_COMM_NULL) return;
  int rank;
  MPI_Comm_rank(c->comm, &rank);
  char path[4096];
  snprintf(path, sizeof path, "%s.file.%d.%d", prefix, p->op, c->world[0][0]);
  MPI_File handle;
  MPI_Status status;
  char* const data = calloc(1, 4ul * (size_t)n + 4);
  fill(data, 4ul * (size_t)n, (uint64_t)rank);
  CALL(File_open, c->comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &handle);
  CALL(File_set_view, handle, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  if (together)
    CALL(File_write_at_all, handle, (MPI_Offset)rank * n, data, n, MPI_INT, &status);
  else
    CALL(File_write_at, handle, (MPI_Offset)rank * n, data, n, MPI_INT, &status);
  int count;
  MPI_Get_count(&status, MPI_INT, &count);
  note(p, 1, &count, sizeof count);
  CALL(File_sync, handle);
  CALL(Barrier, c->comm);
  CALL(File_sync, handle);
  const MPI_Offset other = (MPI_Offset)((rank + 1) % c->n[0]) * n;
  if (together)
    CALL(File_read_at_all, handle, other, data, n, MPI_INT, &status);
  else
    CALL(File_read_at, handle, other, data, n, MPI_INT, MPI_STATUS_IGNORE);
  CALL(File_close, &handle);
  note(p, (uint64_t)p->op, data, 4ul * (size_t)n);
  free(data);
}

/* --- Wrong calls: what they leave in their outputs is undefined. */

static void handled(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  MPI_Error_class(*code, code);
}

static void errors(struct Player* p) {
  const int what = draw(p, 32), own_handler = draw(p, 3) == 0;
  const int far = 1000;
  int x = 1, n = 1000000000, some[2] = {0x7f7f7f7f, 0x7f7f7f7f}, flag = 1, code = 0, class = 0;
  MPI_Status statuses[2];
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Comm none = MPI_COMM_NULL, comm = MPI_COMM_WORLD, new;
  MPI_Message message = MPI_MESSAGE_NULL;
  memset(statuses, 0x7f, sizeof statuses);
  if (own_handler) {
    MPI_Errhandler handler;
    CALL(Comm_dup, MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handled, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
  }
  switch (what) {
    case 0: code = CALL(Send, &x, -1, MPI_INT, 0, 0, comm); break;
    case 1: code = CALL(Isend, &x, 1, MPI_DATATYPE_NULL, 0, 0, comm, requests); break;
    case 2: code = CALL(Ssend, &x, 1, MPI_INT, far, 0, comm); break;
    case 3: code = CALL(Bsend, &x, 1, MPI_INT, 0, -7, comm); break;
    case 4: code = CALL(Recv, &x, 1, MPI_INT, far, 0, comm, statuses); break;
    case 5: code = CALL(Irecv, &x, 1, MPI_INT, 0, -7, comm, requests); break;
    case 6: code = CALL(Irecv, &x, -1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, requests); break;
    case 7: code = CALL(Waitsome, -1, requests, &n, some, statuses); break;
    case 8: code = CALL(Testsome, -1, requests, &n, some, statuses); break;
    case 9: code = CALL(Waitany, -1, requests, &n, statuses); break;
    case 10: code = CALL(Testany, -1, requests, &n, &flag, statuses); break;
    case 11: code = CALL(Testall, -1, requests, &flag, statuses); break;
    case 12: code = CALL(Waitall, -1, requests, statuses); break;
    case 13: code = CALL(Sendrecv, &x, 1, MPI_INT, far, 0, &n, 1, MPI_INT, 0, 0, comm, statuses); break;
    case 14: code = CALL(Send_init, &x, 1, MPI_INT, far, 0, comm, requests); break;
    case 15: code = CALL(Probe, far, 0, comm, statuses); break;
    case 16: code = CALL(Iprobe, far, 0, comm, &flag, statuses); break;
    case 17: code = CALL(Improbe, far, 0, comm, &flag, &message, statuses); break;
    case 18: code = CALL(Mprobe, far, 0, comm, &message, statuses); break;
    case 19: code = CALL(Sendrecv_replace, &x, 1, MPI_INT, 0, 0, far, 0, comm, statuses); break;
    case 20: code = CALL(Ssend_init, &x, -1, MPI_INT, 0, 0, comm, requests); break;
    case 21: code = CALL(Bcast, &x, 1, MPI_DATATYPE_NULL, 0, comm); break;
    case 22: code = CALL(Reduce, &x, &n, 1, MPI_INT, MPI_OP_NULL, 0, comm); break;
    case 23: code = CALL(Send, &x, 1, MPI_INT, 0, 0, none); break;
    case 24: code = CALL(Irecv, &x, 1, MPI_INT, 0, 0, none, requests); break;
    case 25: code = CALL(Barrier, none); break;
    case 26: code = CALL(Comm_dup, none, &new); break;
    case 27: code = CALL(Comm_free, &none); break;
    case 28: code = CALL(Start, requests); break;
    case 29: code = CALL(Request_free, requests); break;
    case 30: code = CALL(Ibcast, &x, -1, MPI_INT, 0, comm, requests); break;
    default: code = CALL(Gather, &x, 1, MPI_INT, some, 1, MPI_INT, far, comm); break;
  }
  MPI_Error_class(code, &class);
  if (class == MPI_SUCCESS) fprintf(stderr, "random_program: the wrong call %d returns no error.\n", what);
  note(p, (uint64_t)what, &class, sizeof class);
  if (own_handler) CALL(Comm_free, &comm);
}

/* --- Callbacks */

static int drop(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)state;
  MPI_Comm* const inner = value;
  MPI_Comm_free(inner);
  free(inner);
  return MPI_SUCCESS;
}

/* A communicator has another one as an attribute, which is freed with it, as libraries do. */
static void attributes(struct Player* p) {
  const int n = draw(p, 100), used = draw(p, 3);
  MPI_Comm outer, *const inner = malloc(sizeof *inner);
  int key, in = 0, rank;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "weft_test", "yes");
  CALL(Comm_dup_with_info, MPI_COMM_WORLD, info, &outer);
  MPI_Info_free(&info);
  CALL(Comm_split, MPI_COMM_WORLD, 0, -world_rank, inner); /* in the reverse order */
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &key, NULL);
  MPI_Comm_set_attr(outer, key, inner);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_rank(*inner, &rank);
  const int to = (rank + 1) % world_ranks, from = (rank + world_ranks - 1) % world_ranks;
  if (used > 0) {
    sent(world_ranks - 1 - to, 4);
    CALL(Sendrecv, &n, 1, MPI_INT, to, 1, &in, 1, MPI_INT, from, 1, *inner, MPI_STATUS_IGNORE), MOVED(Sendrecv, 8);
  }
  CALL(Comm_free, &outer);
  note(p, (uint64_t)p->op, &in, sizeof in);
}

static void mark(struct Player* p) {
  const int level = draw(p, 3);
  if (level == 1)
    CALL(Pcontrol, level);
  else
    MPI_Pcontrol(level);
}

/* --- Threads, sessions */

static void* in_thread(void* player) {
  play(player, 20);
  return NULL;
}

static void threads(struct Player* p) {
  const int n = 2 + draw(p, 2);
  const uint64_t seed = (uint64_t)draw(p, 1 << 30);
  if (thread_level != MPI_THREAD_MULTIPLE) return;
  pthread_t all[3];
  struct Player* players[3];
  MPI_Comm comms[3];
  for (int i = 0; i < n; ++i) {
    CALL(Comm_dup, MPI_COMM_WORLD, &comms[i]);
    players[i] = player(seed + (uint64_t)i, comms[i], i + 1);
  }
  for (int i = 0; i < n; ++i) pthread_create(&all[i], NULL, in_thread, players[i]);
  for (int i = 0; i < n; ++i) {
    pthread_join(all[i], NULL);
    p->sum += players[i]->sum;
    free(players[i]);
    CALL(Comm_free, &comms[i]);
  }
}

static void session(struct Player* p) {
#if MPI_VERSION >= 4
  MPI_Session one;
  MPI_Group group;
  MPI_Comm comm;
  int x = world_rank, sum = 0;
  char name[32];
  snprintf(name, sizeof name, "random_program %d", p->op);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &one);
  MPI_Group_from_session_pset(one, "mpi://WORLD", &group);
  CALL(Comm_create_from_group, group, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  CALL(Allreduce, &x, &sum, 1, MPI_INT, MPI_SUM, comm);
  sent((world_rank + 1) % world_ranks, 4);
  CALL(Sendrecv_replace, &x, 1, MPI_INT, (world_rank + 1) % world_ranks, 5, MPI_ANY_SOURCE, 5, comm, MPI_STATUS_IGNORE);
  MOVED(Sendrecv_replace, 8);
  CALL(Comm_free, &comm);
  MPI_Session_finalize(&one);
  note(p, (uint64_t)sum, &x, sizeof x);
#else
  (void)p;
#endif
}
