/* SPDX-License-Identifier: BSD-3-Clause */
/* What the operations of random_program.c share: drawing, counting, memory and types. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ranks_most = 8, comms_most = 12, pending_most = 24, calls_most = 256 };

/* A communicator as all ranks know it: an intercommunicator has two groups. Ranks outside have MPI_COMM_NULL. */
struct Comm {
  MPI_Comm comm;
  int inter, n[2], world[2][ranks_most];
};

/* A request that is pending, and its memory: what is received `into` is part of the results. */
struct Pending {
  MPI_Request request;
  int receives, persistent, again; /* again: stays after it is complete */
  MPI_Datatype basis;
  char *from, *into;
  size_t bytes;
  uint64_t key;
};

/* One thread of the program. `plan` is the same on all ranks, `own` is not. */
struct Player {
  uint64_t plan, own, sum;
  int thread, op, comms_count, count;
  struct Comm comms[comms_most];
  struct Pending pending[pending_most];
  MPI_Comm* unfreed;
  int unfreed_count;
  MPI_Request idle; /* persistent, and never started */
};

static int world_rank, world_ranks, thread_level = MPI_THREAD_SINGLE;
static const char* prefix;

/* --- Counts */

struct Tally {
  const char* call;
  long calls, fruitless, bytes;
};
static struct Tally tallies[calls_most];
static long messages_to[ranks_most], bytes_to[ranks_most];
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void counted(const char* call, long calls, long fruitless, long bytes) {
  pthread_mutex_lock(&counting);
  struct Tally* t = tallies;
  while (t->call != NULL && strcmp(t->call, call) != 0) ++t;
  t->call = call;
  t->calls += calls, t->fruitless += fruitless, t->bytes += bytes;
  pthread_mutex_unlock(&counting);
}

static void sent(int to_world, long bytes) {
  pthread_mutex_lock(&counting);
  ++messages_to[to_world];
  bytes_to[to_world] += bytes;
  pthread_mutex_unlock(&counting);
}

/* Each call that libweft_advise records, and the bytes of its messages. */
#define CALL(name, ...) (counted("MPI_" #name, 1, 0, 0), MPI_##name(__VA_ARGS__))
#define MOVED(name, size) counted("MPI_" #name, 0, 0, size)

static void write_counts(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%d.json", prefix, world_rank);
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "{\"calls\": {");
  for (const struct Tally* t = tallies; t->call != NULL; ++t)
    fprintf(file, "%s\n \"%s\": [%ld, %ld, %ld]", t == tallies ? "" : ",", t->call, t->calls, t->fruitless, t->bytes);
  fprintf(file, "},\n\"sent\": [");
  for (int r = 0; r < world_ranks; ++r) fprintf(file, "%s[%ld, %ld]", r ? ", " : "", messages_to[r], bytes_to[r]);
  fprintf(file, "]}\n");
  fclose(file);
}

/* --- Drawing */

static uint64_t next(uint64_t* state) {
  uint64_t x = *state += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
static int draw(struct Player* p, int below) { return (int)(next(&p->plan) % (uint64_t)below); }
static int own(struct Player* p, int below) { return (int)(next(&p->own) % (uint64_t)below); }

/* From nothing to 300 kB. */
static int elements(struct Player* p) {
  const int most[] = {1, 4, 40, 400, 2000, 37000};
  return draw(p, most[draw(p, 6)]);
}

static struct Comm* any_comm(struct Player* p) { return &p->comms[draw(p, p->comms_count)]; }
static struct Comm* any_intra(struct Player* p) {
  struct Comm* const c = any_comm(p);
  return c->inter ? &p->comms[0] : c;
}

static struct Player* player(uint64_t seed, MPI_Comm world, int thread) {
  struct Player* const p = calloc(1, sizeof *p);
  p->thread = thread;
  p->plan = seed;
  p->own = seed * 1000u + 1u + (uint64_t)world_rank;
  p->comms_count = 1;
  p->comms[0].comm = world;
  p->comms[0].n[0] = world_ranks;
  for (int r = 0; r < world_ranks; ++r) p->comms[0].world[0][r] = r;
  MPI_Recv_init(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, world, &p->idle);
  return p;
}

/* --- Results: a sum that does not depend on the order */

static void note(struct Player* p, uint64_t key, const void* data, size_t bytes) {
  uint64_t hash = key * 31u + 7u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 0x100000001B3u;
  p->sum += next(&hash);
}

static void note_status(struct Player* p, uint64_t key, const MPI_Status* status, MPI_Datatype basis) {
  int all[3] = {status->MPI_SOURCE, status->MPI_TAG};
  MPI_Get_count(status, basis, &all[2]);
  note(p, key + 3u, all, sizeof all);
}

static void fill(void* data, size_t bytes, uint64_t key) {
  for (size_t i = 0; i < bytes; ++i) ((unsigned char*)data)[i] = (unsigned char)(key * 13u + i * 7u + (i >> 8));
}

/* Memory that lives as long as the program. */
static void keep(struct Player* p, void* memory) {
  (void)p;
  static void* volatile last;
  last = memory;
  (void)last;
}

/* --- Types */

struct Shape {
  MPI_Datatype type;
  int count, made;
  long bytes;    /* of the data */
  size_t memory; /* that it spans, or more */
};

static int size_of(MPI_Datatype type) {
  int size;
  MPI_Type_size(type, &size);
  return size;
}

/* So many elements, dense or with gaps. */
static struct Shape shaped(int kind, MPI_Datatype basis, int n) {
  const int size = size_of(basis), blocks[2] = {n / 2, n - n / 2}, at[2] = {0, n / 2 + 3};
  const MPI_Aint places[2] = {0, (MPI_Aint)size * (n / 2 + 3)};
  const MPI_Datatype types[2] = {basis, basis};
  struct Shape s = {basis, n, 1, (long)n * size, 3ul * (size_t)size * (size_t)(n + 3)};
  if (kind == 0)
    MPI_Type_contiguous(n, basis, &s.type);
  else if (kind == 1)
    MPI_Type_vector(n, 1, 2, basis, &s.type);
  else if (kind == 2)
    MPI_Type_indexed(2, blocks, at, basis, &s.type);
  else if (kind == 3)
    MPI_Type_create_struct(2, blocks, places, types, &s.type);
  else if (kind == 4)
    MPI_Type_create_hvector(n, 1, 3 * size, basis, &s.type);
  else if (kind == 5)
    MPI_Type_create_resized(basis, 0, 3 * size, &s.type);
  else if (kind == 6)
    MPI_Type_dup(basis, &s.type);
  else
    s.made = 0;
  if (kind < 5) s.count = 1;
  if (s.made) MPI_Type_commit(&s.type);
  return s;
}
