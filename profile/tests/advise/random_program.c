/* SPDX-License-Identifier: BSD-3-Clause */
/* A random, legal MPI program for the tests of libweft_advise: random_program SEED OPERATIONS PREFIX.

   All ranks draw the same plan from the seed, so each knows what the others do. An operation waits only for things of
   itself or of earlier operations, so the program ends. Rank 0 prints a checksum of each rank's results; each rank
   writes the numbers of its calls and messages to PREFIX.RANK.json. Which of several requests is complete first is
   left to chance, so sums do not depend on the order. With RANDOM_PROGRAM_TRACE each rank prints its operations;
   RANDOM_PROGRAM_WITHOUT names operations to leave out. */
#define _GNU_SOURCE
#include "random_program.h"

#include <sched.h>

/* --- Requests */

static void done(struct Player* p, struct Pending* one, const MPI_Status* status) {
  if (status != NULL && one->receives) note_status(p, one->key, status, one->basis);
  if (one->into != NULL) note(p, one->key, one->into, one->bytes);
}

static void release(struct Pending* one) {
  if (one->again) return;
  if (one->persistent) CALL(Request_free, &one->request);
  free(one->into);
  free(one->from);
  *one = (struct Pending){.request = MPI_REQUEST_NULL};
}

static int found(const char* call, int flag) {
  if (flag != 0) return 1;
  counted(call, 0, 1, 0);
  sched_yield();
  return 0;
}

/* Completes all of these requests in one of the ways that MPI has, mixed with requests that are null or inactive. */
static void complete(struct Player* p, struct Pending* all, int n) {
  MPI_Request requests[2 * pending_most];
  MPI_Status statuses[2 * pending_most];
  int of[2 * pending_most], which[2 * pending_most], m = 0, flag = 0, some = 0, idle = 1;
  for (int i = 0; i < n; ++i) {
    if (own(p, 4) == 0) {
      requests[m] = idle && own(p, 2) ? p->idle : MPI_REQUEST_NULL;
      if (requests[m] == p->idle) idle = 0;
      of[m++] = -1;
    }
    requests[m] = all[i].request;
    of[m++] = i;
  }
  const int told = own(p, 3) > 0;
  MPI_Status* const status = told ? statuses : MPI_STATUS_IGNORE;
  MPI_Status* const each = told ? statuses : MPI_STATUSES_IGNORE;
  const int way = own(p, 9);
  for (int i = 0; way < 3 && i < m; ++i) {
    if (way == 1)
      while (!found("MPI_Request_get_status", (CALL(Request_get_status, requests[i], &flag, status), flag)))
        ;
    if (way == 2)
      while (!found("MPI_Test", (CALL(Test, &requests[i], &flag, status), flag)))
        ;
    else
      CALL(Wait, &requests[i], status);
    if (way == 2 && of[i] < 0) counted("MPI_Test", 0, 1, 0);     /* it completes nothing */
    if (of[i] < 0 && told) note_status(p, 1, statuses, MPI_INT); /* an empty status */
    if (of[i] >= 0) done(p, &all[of[i]], told ? statuses : NULL);
  }
  if (way == 3) CALL(Waitall, m, requests, each);
  if (way == 4)
    while (!found("MPI_Testall", (CALL(Testall, m, requests, &flag, each), flag)))
      ;
  if (way == 4 && n == 0) counted("MPI_Testall", 0, 1, 0);
  for (int i = 0; (way == 3 || way == 4) && i < m; ++i)
    if (of[i] >= 0) done(p, &all[of[i]], told ? &statuses[i] : NULL);
  while (way == 5 || way == 6) {
    int index = MPI_UNDEFINED;
    if (way == 5)
      CALL(Waitany, m, requests, &index, status);
    else if (!found("MPI_Testany", (CALL(Testany, m, requests, &index, &flag, status), flag)))
      continue;
    if (index == MPI_UNDEFINED) {
      if (way == 6) counted("MPI_Testany", 0, 1, 0);
      break;
    }
    done(p, &all[of[index]], told ? statuses : NULL);
  }
  while (way == 7 || way == 8) {
    if (way == 7)
      CALL(Waitsome, m, requests, &some, which, each);
    else if (!found("MPI_Testsome", (CALL(Testsome, m, requests, &some, which, each), some)))
      continue;
    if (some == MPI_UNDEFINED) {
      if (way == 8) counted("MPI_Testsome", 0, 1, 0);
      break;
    }
    for (int i = 0; i < some; ++i) done(p, &all[of[which[i]]], told ? &statuses[i] : NULL);
  }
  for (int i = 0; i < n; ++i) release(&all[i]);
}

/* Leaves a request for later, or completes it now. */
static void leave(struct Player* p, struct Pending one, int later) {
  if (later && p->count < pending_most)
    p->pending[p->count++] = one;
  else
    complete(p, &one, 1);
}

static void complete_some(struct Player* p) {
  int n = p->count > 0 ? 1 + own(p, p->count) : 0;
  for (int i = 0; i < n; ++i) { /* n of them, shuffled, to the end */
    const int j = own(p, p->count - i), last = p->count - 1 - i;
    const struct Pending one = p->pending[j];
    p->pending[j] = p->pending[last];
    p->pending[last] = one;
  }
  p->count -= n;
  complete(p, p->pending + p->count, n);
}

/* --- One message */

struct Plan {
  struct Comm* c;
  MPI_Comm comm;
  int side, from, to, tag, elements, more, times, self;
  int send, receive, send_shape, receive_shape, any_source, any_tag, send_later, receive_later, told;
  MPI_Datatype basis;
  uint64_t key;
};

static void send_part(struct Player* p, const struct Plan* m) {
  const int to_world = m->c->world[m->c->inter ? !m->side : 0][m->to];
  enum {
    plain,
    synchronous,
    buffered,
    posted,
    posted_synchronous,
    posted_buffered,
    prepared,
    prepared_synchronous,
    both,
    freed
  };
  const int buffers = m->elements <= 1000;
  int way = m->send;
  if (!buffers && (way == buffered || way == posted_buffered)) way = way == buffered ? plain : posted;
  struct Shape s = shaped(m->send_shape, m->basis, m->elements);
  struct Pending one = {.from = malloc(s.memory), .again = 1};
  for (int t = 0; t < m->times; ++t) {
    const int last = t == m->times - 1;
    const int starts = way == prepared || way == prepared_synchronous;
    char* const data = starts || t == 0 ? one.from : malloc(s.memory);
    fill(data, s.memory, m->key + (uint64_t)t);
    one.from = data;
    sent(to_world, s.bytes);
#define MESSAGE data, s.count, s.type, m->to, m->tag
#define ARGUMENTS MESSAGE, m->comm
    if (way == plain) CALL(Send, ARGUMENTS), MOVED(Send, s.bytes);
    if (way == synchronous) CALL(Ssend, ARGUMENTS), MOVED(Ssend, s.bytes);
    if (way == buffered) CALL(Bsend, ARGUMENTS), MOVED(Bsend, s.bytes);
    if (way == both)
      CALL(Sendrecv, MESSAGE, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, m->comm, MPI_STATUS_IGNORE),
          MOVED(Sendrecv, s.bytes);
    if (way == posted || way == freed) CALL(Isend, ARGUMENTS, &one.request), MOVED(Isend, s.bytes);
    if (way == posted_synchronous) CALL(Issend, ARGUMENTS, &one.request), MOVED(Issend, s.bytes);
    if (way == posted_buffered) CALL(Ibsend, ARGUMENTS, &one.request), MOVED(Ibsend, s.bytes);
    if (starts && t == 0) {
      if (way == prepared)
        CALL(Send_init, ARGUMENTS, &one.request);
      else
        CALL(Ssend_init, ARGUMENTS, &one.request);
    }
    if (starts && p->op % 2)
      CALL(Start, &one.request), MOVED(Start, s.bytes);
    else if (starts)
      CALL(Startall, 1, &one.request), MOVED(Startall, s.bytes);
    one.persistent = starts;
    one.again = starts && !last;
    if (s.made && last) MPI_Type_free(&s.type);
    if (way == freed)
      CALL(Request_free, &one.request), keep(p, data);
    else if (way == plain || way == synchronous || way == buffered || way == both)
      free(data);
    else if (one.again)
      complete(p, &one, 1);
    else
      leave(p, one, m->send_later);
  }
#undef MESSAGE
#undef ARGUMENTS
}

static void receive_part(struct Player* p, const struct Plan* m) {
  enum { plain, probed, iprobed, matched, imatched, matched_later, both, posted, prepared };
  const int way = m->self && m->receive < posted ? posted : m->receive;
  const int source = m->any_source ? MPI_ANY_SOURCE : m->from, tag = m->any_tag ? MPI_ANY_TAG : m->tag;
  const long bytes = (long)m->elements * size_of(m->basis);
  struct Shape s = shaped(m->receive_shape, m->basis, m->elements + m->more);
  struct Pending one = {.receives = 1, .basis = m->basis, .bytes = s.memory};
  MPI_Status status;
  MPI_Status* const told = m->told ? &status : MPI_STATUS_IGNORE;
  for (int t = 0; t < m->times; ++t) {
    const int last = t == m->times - 1;
    int flag = 0, blocks = 1;
    MPI_Message handle;
    if (t == 0 || way != prepared) one.into = malloc(s.memory);
    memset(one.into, 0x5a, s.memory);
    one.key = m->key + 77u + (uint64_t)t;
#define ARGUMENTS one.into, s.count, s.type, source, tag, m->comm
    if (way == probed) CALL(Probe, source, tag, m->comm, told);
    if (way == iprobed)
      while (!found("MPI_Iprobe", (CALL(Iprobe, source, tag, m->comm, &flag, told), flag)))
        ;
    if (way == matched || way == matched_later) CALL(Mprobe, source, tag, m->comm, &handle, told);
    if (way == imatched)
      while (!found("MPI_Improbe", (CALL(Improbe, source, tag, m->comm, &flag, &handle, told), flag)))
        ;
    if (m->told && way >= probed && way <= matched_later) note_status(p, one.key, &status, m->basis);
    if (way <= iprobed)
      CALL(Recv, ARGUMENTS, told), MOVED(Recv, bytes);
    else if (way == matched || way == imatched)
      CALL(Mrecv, one.into, s.count, s.type, &handle, told), MOVED(Mrecv, bytes);
    else if (way == both)
      CALL(Sendrecv, &flag, 1, MPI_INT, MPI_PROC_NULL, 0, ARGUMENTS, told), MOVED(Sendrecv, bytes);
    else
      blocks = 0;
    if (blocks) {
      done(p, &one, m->told ? &status : NULL);
      free(one.into);
      one = (struct Pending){.receives = 1, .basis = m->basis, .bytes = s.memory};
      continue;
    }
    if (way == matched_later) CALL(Imrecv, one.into, s.count, s.type, &handle, &one.request), MOVED(Imrecv, bytes);
    if (way == posted) CALL(Irecv, ARGUMENTS, &one.request), MOVED(Irecv, bytes);
    if (way == prepared && t == 0) CALL(Recv_init, ARGUMENTS, &one.request);
    if (way == prepared) CALL(Start, &one.request), MOVED(Start, bytes);
    one.persistent = way == prepared;
    one.again = one.persistent && !last;
    if (one.again)
      complete(p, &one, 1);
    else
      leave(p, one, m->receive_later || m->self);
  }
  if (s.made) MPI_Type_free(&s.type);
#undef ARGUMENTS
}

/* Frees a communicator on which messages may be pending. Open MPI 4.1 may then crash or hang when it makes another one,
   so there, only at the end. */
static void free_early(struct Player* p, MPI_Comm comm) {
#ifdef OPEN_MPI
  p->unfreed = realloc(p->unfreed, sizeof(MPI_Comm) * (size_t)(p->unfreed_count + 1));
  p->unfreed[p->unfreed_count++] = comm;
#else
  CALL(Comm_free, &comm);
#endif
}

static void message(struct Player* p) {
  struct Plan m = {.c = any_comm(p), .tag = p->op, .key = draw(p, 1 << 30)};
  const int other = m.c->inter;
  m.side = other ? draw(p, 2) : 0;
  m.from = draw(p, m.c->n[m.side]);
  m.to = draw(p, m.c->n[other ? !m.side : 0]);
  const MPI_Datatype bases[] = {MPI_INT, MPI_BYTE, MPI_DOUBLE, MPI_SHORT};
  m.basis = bases[draw(p, 4)];
  m.elements = elements(p);
  m.more = draw(p, 2) * draw(p, 50);
  m.times = draw(p, 3) ? 1 : 1 + draw(p, 3);
  m.send = draw(p, 10);
  m.receive = draw(p, 9);
  m.send_shape = draw(p, 16), m.receive_shape = draw(p, 16);
  m.any_source = draw(p, 3) == 0, m.any_tag = 0;
  m.send_later = draw(p, 2), m.receive_later = draw(p, 2), m.told = draw(p, 2);
  const int private = draw(p, 3) == 0;
  if (private) m.any_tag = draw(p, 2);
  while (p->count > pending_most - 4) complete_some(p); /* since a receive from this rank itself must be left */
  if (m.c->comm == MPI_COMM_NULL) return;
  m.comm = m.c->comm;
  if (private) CALL(Comm_dup, m.c->comm, &m.comm); /* on which there is no other message, and which is freed early */
  const int sends = m.c->world[m.side][m.from] == world_rank;
  const int receives = m.c->world[other ? !m.side : 0][m.to] == world_rank;
  m.self = sends && receives;
  if (m.self) m.times = 1;
  if (receives) receive_part(p, &m);
  if (sends) send_part(p, &m);
  if (private) free_early(p, m.comm);
}

/* --- All ranks of a communicator */

static void ring(struct Player* p) {
  struct Comm* const c = any_intra(p);
  const int way = draw(p, 5), n = elements(p);
  const int open = draw(p, 3) == 0 && way != 4; /* MPI_Isendrecv of MPICH 4.0.2 does not end with MPI_PROC_NULL */
  const int starts = 1 + draw(p, 4), more = draw(p, 20);
  const uint64_t key = draw(p, 1 << 30);
  if (c->comm == MPI_COMM_NULL) return;
  int rank, size = c->n[0];
  MPI_Comm_rank(c->comm, &rank);
  const int to = open && rank == size - 1 ? MPI_PROC_NULL : (rank + 1) % size;
  const int from = open && rank == 0 ? MPI_PROC_NULL : (rank + size - 1) % size;
  const long out_bytes = to == MPI_PROC_NULL ? 0 : n * 4L, in_bytes = from == MPI_PROC_NULL ? 0 : n * 4L;
  struct Pending both[2] = {{.from = malloc(4ul * (size_t)(n + 1))}, {.receives = 1, .basis = MPI_INT, .key = key}};
  both[1].bytes = 4ul * (size_t)(n + more + 1);
  both[1].into = malloc(both[1].bytes);
  memset(both[1].into, 0x5a, both[1].bytes);
  char *const out = both[0].from, *const in = both[1].into;
  const int times = way == 3 ? starts : 1;
  for (int t = 0; t < times; ++t) {
    fill(out, 4ul * (size_t)n, key + (uint64_t)(rank + t));
    if (to != MPI_PROC_NULL) sent(c->world[0][to], n * 4L);
    MPI_Status status;
    if (way == 0) {
      CALL(Sendrecv, out, n, MPI_INT, to, p->op, in, n + more, MPI_INT, from, p->op, c->comm, &status);
      MOVED(Sendrecv, out_bytes + in_bytes);
      done(p, &both[1], &status);
    } else if (way == 1) {
      CALL(Sendrecv_replace, out, n, MPI_INT, to, p->op, from, p->op, c->comm, &status);
      MOVED(Sendrecv_replace, out_bytes + in_bytes);
      note(p, key, out, 4ul * (size_t)n);
#if MPI_VERSION >= 4
    } else if (way == 4) {
      CALL(Isendrecv, out, n, MPI_INT, to, p->op, in, n + more, MPI_INT, from, p->op, c->comm, &both[1].request);
      MOVED(Isendrecv, out_bytes + in_bytes);
      both[1].from = out, both[1].receives = 0; /* its status is undefined in MPICH 4.0.2 */
      both[0] = (struct Pending){.request = MPI_REQUEST_NULL};
      leave(p, both[1], 1);
      both[1] = both[0];
#endif
    } else if (way == 3) {
      MPI_Request two[2] = {both[0].request, both[1].request};
      if (t == 0) {
        CALL(Send_init, out, n, MPI_INT, to, p->op, c->comm, &two[0]);
        CALL(Recv_init, in, n + more, MPI_INT, from, p->op, c->comm, &two[1]);
      }
      CALL(Startall, 2, two);
      MOVED(Startall, out_bytes + in_bytes);
      for (int i = 0; i < 2; ++i) both[i].request = two[i], both[i].persistent = 1, both[i].again = t < times - 1;
      complete(p, both, 2);
    } else {
      CALL(Irecv, in, n + more, MPI_INT, from, p->op, c->comm, &both[1].request), MOVED(Irecv, in_bytes);
      CALL(Isend, out, n, MPI_INT, to, p->op, c->comm, &both[0].request), MOVED(Isend, out_bytes);
      leave(p, both[1], n % 2);
      leave(p, both[0], 1);
      both[0] = both[1] = (struct Pending){.request = MPI_REQUEST_NULL};
    }
  }
  free(both[0].from);
  free(both[1].into);
}

static void add_up(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)inout)[i] = (int)(((unsigned*)inout)[i] + 1u * ((unsigned*)in)[i]);
}

/* As a blocking call, or as one with a request. */
#define EITHER(now, later, ...) (form == 0 ? CALL(now, __VA_ARGS__) : CALL(later, __VA_ARGS__, &one.request))

static void collective(struct Player* p) {
  struct Comm* const c = any_intra(p);
  const int kind = draw(p, 16), n = draw(p, 6) ? draw(p, 40) : draw(p, 5000), root = draw(p, c->n[0]);
  const int form = draw(p, 2), in_place = draw(p, 3) == 0, later = draw(p, 4) > 0, user = draw(p, 2);
  const uint64_t key = draw(p, 1 << 30);
  if (c->comm == MPI_COMM_NULL) return;
  int rank;
  MPI_Comm_rank(c->comm, &rank);
  const int size = c->n[0], stride = n + 3;
  const size_t bytes = 4ul * (size_t)(stride * size);
  struct Pending one = {
      .request = MPI_REQUEST_NULL, .from = malloc(bytes), .into = malloc(bytes), .bytes = bytes, .key = key};
  fill(one.from, bytes, key + (uint64_t)rank);
  fill(one.into, bytes, key + 99u + (uint64_t)rank);
  int counts[ranks_most], mine[ranks_most], at[ranks_most];
  for (int i = 0; i < size; ++i) counts[i] = n + i % 3, mine[i] = n + (i + rank) % 3, at[i] = i * stride;
  int* const all = malloc(sizeof counts * 3); /* must outlive a pending operation */
  memcpy(all, counts, sizeof counts), memcpy(all + ranks_most, mine, sizeof mine),
      memcpy(all + 2 * ranks_most, at, sizeof at);
  keep(p, all);
  const int *const v = all, *const w = all + ranks_most, *const d = all + 2 * ranks_most;
  void *out = in_place ? MPI_IN_PLACE : one.from, *in = one.into;
  const int long_reduce = kind == 2 && n > 100; /* in place, MPICH 4.0.2 may crash */
  void* const at_root = rank == root && in_place && !long_reduce ? MPI_IN_PLACE : one.from;
  MPI_Op sum = MPI_SUM;
  if (user) MPI_Op_create(add_up, 1, &sum);
  const MPI_Comm comm = c->comm;
  switch (kind) {
    case 0: EITHER(Barrier, Ibarrier, comm); break;
    case 1: EITHER(Bcast, Ibcast, in, n, MPI_INT, root, comm); break;
    case 2: EITHER(Reduce, Ireduce, at_root, in, n, MPI_INT, sum, root, comm); break;
    case 3: EITHER(Allreduce, Iallreduce, out, in, n, MPI_INT, sum, comm); break;
    case 4: EITHER(Scan, Iscan, out, in, n, MPI_INT, sum, comm); break;
    case 5: EITHER(Exscan, Iexscan, out, in, n, MPI_INT, sum, comm); break;
    case 6: EITHER(Reduce_scatter_block, Ireduce_scatter_block, out, in, n, MPI_INT, sum, comm); break;
    case 7: EITHER(Reduce_scatter, Ireduce_scatter, out, in, v, MPI_INT, sum, comm); break;
    case 8: EITHER(Gather, Igather, at_root, n, MPI_INT, in, n, MPI_INT, root, comm); break;
    case 9:
      EITHER(Gatherv, Igatherv, at_root, v[rank], MPI_INT, in, rank == root ? v : NULL, d, MPI_INT, root, comm);
      break;
    case 10:
      if (rank == root && in_place) in = MPI_IN_PLACE;
      EITHER(Scatter, Iscatter, one.from, n, MPI_INT, in, n, MPI_INT, root, comm);
      break;
    case 11:
      if (rank == root && in_place) in = MPI_IN_PLACE;
      EITHER(Scatterv, Iscatterv, one.from, rank == root ? v : NULL, d, MPI_INT, in, v[rank], MPI_INT, root, comm);
      break;
    case 12: EITHER(Allgather, Iallgather, out, n, MPI_INT, in, n, MPI_INT, comm); break;
    case 13: EITHER(Allgatherv, Iallgatherv, out, v[rank], MPI_INT, in, v, d, MPI_INT, comm); break;
    case 14: EITHER(Alltoall, Ialltoall, out, n, MPI_INT, in, n, MPI_INT, comm); break;
    default: EITHER(Alltoallv, Ialltoallv, out, w, d, MPI_INT, in, w, d, MPI_INT, comm); break;
  }
  if (user) MPI_Op_free(&sum);
  if (form == 0) {
    done(p, &one, NULL);
    release(&one);
    return;
  }
  leave(p, one, later);
}

/* --- Communicators */

static void make_comm(struct Player* p) {
  const int kind = draw(p, 6), mask = draw(p, 1 << 16), reverse = draw(p, 2);
  struct Comm* const c = kind == 0 ? any_comm(p) : any_intra(p);
  if (p->comms_count + 2 > comms_most) return;
  struct Comm made[2] = {*c, *c};
  for (int i = 0; i < 2; ++i) made[i].comm = MPI_COMM_NULL;
  const int in = c->comm != MPI_COMM_NULL, size = c->n[0], n = size / 2;
  int rank = 0, parts = 1;
  if (in) MPI_Comm_rank(c->comm, &rank);
  MPI_Comm new = MPI_COMM_NULL;
  if (kind == 0 && in) CALL(Comm_dup, c->comm, &new);
  if (kind == 1 && in) {
    struct Pending one = {.request = MPI_REQUEST_NULL};
    MPI_Comm* const place = malloc(sizeof new);
    CALL(Comm_idup, c->comm, place, &one.request);
    complete(p, &one, 1);
    new = *place;
    free(place);
  }
  if (kind == 2) { /* colours 0, 1 and none */
    const int colour = mask >> (2 * rank) & 3;
    if (in) CALL(Comm_split, c->comm, colour > 1 ? MPI_UNDEFINED : colour, reverse ? -rank : rank, &new);
    parts = 2;
    for (int i = 0; i < 2; ++i) made[i].n[0] = 0;
    for (int j = 0; j < size; ++j) {
      const int r = reverse ? size - 1 - j : j, to = mask >> (2 * r) & 3;
      if (to < 2) made[to].world[0][made[to].n[0]++] = c->world[0][r];
    }
    if (colour == 1) made[1].comm = new, new = MPI_COMM_NULL;
  }
  if (kind == 3 || kind == 4) { /* some of the ranks */
    int some[ranks_most], m = 0;
    for (int j = 0; j < size; ++j)
      if (mask >> j & 1) made[0].world[0][m] = c->world[0][j], some[m++] = j;
    made[0].n[0] = m;
    MPI_Group group, part;
    if (in && m > 0) {
      MPI_Comm_group(c->comm, &group);
      MPI_Group_incl(group, m, some, &part);
      MPI_Group_free(&group);
      if (kind == 3)
        CALL(Comm_create, c->comm, part, &new);
      else if (mask >> rank & 1)
        CALL(Comm_create_group, c->comm, part, p->op, &new);
      MPI_Group_free(&part);
    }
  }
  if (kind == 5 && size > 1) {
    MPI_Comm half;
    const int side = rank >= n;
    made[0].inter = 1, made[0].n[0] = n, made[0].n[1] = size - n;
    for (int j = 0; j < size; ++j) made[0].world[j >= n][j >= n ? j - n : j] = c->world[0][j];
    if (in) {
      CALL(Comm_split, c->comm, side, 0, &half);
      CALL(Intercomm_create, half, 0, c->comm, side ? 0 : n, p->op, &new);
      CALL(Comm_free, &half);
    }
  } else if (kind == 5) {
    parts = 0;
  }
  if (new != MPI_COMM_NULL) made[0].comm = new;
  for (int i = 0; i < parts; ++i)
    if (made[i].n[0] > 0) p->comms[p->comms_count++] = made[i];
}

/* Open MPI 4.1 may crash if a communicator is freed while a collective is pending. */
static void complete_collectives(struct Player* p) {
#ifdef OPEN_MPI
  while (p->count > 0) complete_some(p);
#else
  (void)p;
#endif
}

static void free_comm(struct Player* p) {
  if (p->comms_count < 2) return;
  const int which = 1 + draw(p, p->comms_count - 1);
  struct Comm* const c = &p->comms[which];
  complete_collectives(p);
  if (c->comm != MPI_COMM_NULL) CALL(Comm_free, &c->comm);
  *c = p->comms[--p->comms_count];
}

#include "random_others.h"

struct Operation {
  const char* name;
  int weight, in_threads;
  void (*play)(struct Player*);
};
static const struct Operation operations[] = {
    {"message", 14, 1, message},
    {"complete", 5, 1, complete_some},
    {"ring", 4, 1, ring},
    {"ready", 1, 1, ready},
    {"collective", 8, 1, collective},
    {"between groups", 3, 1, between_groups},
    {"make_comm", 4, 0, make_comm},
    {"free_comm", 2, 0, free_comm},
    {"neighbours", 2, 0, neighbours},
    {"cancelled", 1, 1, cancelled},
    {"truncated", 1, 0, truncated},
    {"errors", 2, 0, errors},
    {"window", 1, 0, window},
    {"file", 1, 0, file},
    {"attributes", 1, 0, attributes},
    {"partitioned", 1, 0, partitioned},
    {"session", 1, 0, session},
    {"threads", 1, 0, threads},
    {"mark", 1, 0, mark},
};

static int weight(const struct Player* p, int i) {
  return p->thread && !operations[i].in_threads ? 0 : operations[i].weight;
}

static void play(struct Player* p, int many) {
  const int kinds = sizeof operations / sizeof operations[0];
  const char* const without = getenv("RANDOM_PROGRAM_WITHOUT");
  int all = 0, trace = getenv("RANDOM_PROGRAM_TRACE") != NULL;
  for (int i = 0; i < kinds; ++i) all += weight(p, i);
  for (p->op = 1; p->op <= many; ++p->op) {
    int which = -1;
    for (int at = draw(p, all); at >= 0;) at -= weight(p, ++which);
    if (trace) fprintf(stderr, "%d: %d.%d %s\n", world_rank, p->thread, p->op, operations[which].name);
    if (without == NULL || strstr(without, operations[which].name) == NULL) operations[which].play(p);
    if (trace) fprintf(stderr, "%d: %d.%d sum %016llx\n", world_rank, p->thread, p->op, (unsigned long long)p->sum);
  }
  while (p->thread && p->count > 0) complete_some(p);
  for (int i = 0; i < p->unfreed_count; ++i) CALL(Comm_free, &p->unfreed[i]);
  while (p->count > 0) complete_some(p);
  for (int i = 1; i < p->comms_count; i += 2) /* the others are still there in MPI_Finalize */
    if (p->comms[i].comm != MPI_COMM_NULL) CALL(Comm_free, &p->comms[i].comm);
  MPI_Request_free(&p->idle);
}

static void at_exit(void) { MPI_Finalize(); }

int main(int argc, char** argv) {
  if (argc != 4) return fprintf(stderr, "random_program SEED OPERATIONS PREFIX\n"), 2;
  const uint64_t seed = strtoull(argv[1], NULL, 10);
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE,
                        MPI_THREAD_MULTIPLE};
  uint64_t ways = seed + 1000003u;
  const int way = (int)(next(&ways) % 7u), exits = next(&ways) % 5u == 0;
  prefix = argv[3];
  if (way < 2)
    MPI_Init(&argc, &argv);
  else
    MPI_Init_thread(&argc, &argv, levels[way - 2], &thread_level);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int buffer_bytes = 1 << 24;
  char* buffer = malloc((size_t)buffer_bytes);
  MPI_Buffer_attach(buffer, buffer_bytes);
  struct Player* const p = player(seed, MPI_COMM_WORLD, 0);
  play(p, atoi(argv[2]));
  MPI_Buffer_detach(&buffer, &(int){0});
  uint64_t sums[ranks_most];
  CALL(Gather, &p->sum, 1, MPI_UINT64_T, sums, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  for (int r = 0; world_rank == 0 && r < world_ranks; ++r) printf("rank %d: %016llx\n", r, (unsigned long long)sums[r]);
  write_counts();
  if (exits)
    atexit(at_exit);
  else
    MPI_Finalize();
  return 0;
}
