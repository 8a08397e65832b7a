/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "bench/languages/workloads.h"
#include "weft.h"

/* The ranks of a ring, and what they send: numbers in pieces of one size. */
typedef struct ring {
  int right, left;
  size_t count, size;
  double *out, *in;
} ring;

typedef struct workloads {
  weft_comm world;
  weft_grid grid;
  weft_halo halo;
  double* field;
  weft_halo_exchange ghosts;
  ring few, many;
  weft_part* sends;
  double sum;
  weft_step_manager manager;
  weft_space space;
} workloads;

static double* numbers(size_t count, double value) {
  double* all = malloc(count * sizeof *all);
  if (all == NULL) weft_check(weft_raise("There is no memory for the benchmark. Use fewer ranks per node."));
  for (size_t i = 0; i < count; ++i) all[i] = value;
  return all;
}

static ring ring_of(weft_comm world, int pieces, size_t size) {
  int rank = 0, ranks = 1;
  weft_check(weft_comm_rank(world, &rank, &ranks));
  const size_t count = (size_t)pieces;
  return (ring){.right = (rank + 1) % ranks,
                .left = (rank + ranks - 1) % ranks,
                .count = count,
                .size = size,
                .out = numbers(count * size, rank + 1.0),
                .in = numbers(count * size, 0)};
}

static int request(void* context, weft_requests list) {
  workloads* w = context;
  const ring* r = &w->few;
  for (size_t i = 0; i < r->count; ++i) {
    weft_check(
        weft_send(list, r->right, i, weft_contiguous(r->out + i * r->size, r->size, WEFT_DOUBLE), 0, &w->sends[i]));
    weft_check(weft_receive(list, r->left, i, weft_contiguous(r->in + i * r->size, r->size, WEFT_DOUBLE), 0, NULL));
  }
  return 0;
}
static int before(void* context, weft_step step) {
  workloads* w = context;
  for (size_t i = 0; i < w->few.count; ++i) weft_check(weft_step_ready(step, w->sends[i]));
  return 0;
}
static int during(void* context, weft_step step) {
  (void)context;
  return weft_step_progress(step);
}
static int after(void* context, weft_step step) {
  workloads* w = context;
  (void)step;
  w->sum = 0;
  for (size_t i = 0; i < w->few.count * w->few.size; ++i) w->sum += w->few.in[i];
  return 0;
}

static void make_halo(workloads* w, size_t points) {
  int ranks = 1;
  weft_check(weft_comm_rank(w->world, NULL, &ranks));
  const size_t extent[] = {(size_t)ranks * points, points, points};
  weft_check(weft_grid_create(w->world, 3, extent, (const int[]){ranks, 1, 1}, (const int[]){1, 1, 1}, &w->grid));
  weft_check(weft_halo_create(w->grid, NULL, &w->halo));
  const weft_field field = {.size = sizeof field, .data = w->field, .type = WEFT_DOUBLE, .order = WEFT_COLUMN_MAJOR};
  weft_check(weft_halo_add(w->halo, &field, NULL));
  weft_check(weft_halo_exchange_create(w->world, w->halo, NULL, &w->ghosts));
}

void* weft_bench_make_c(double* field, int points, int step_parts, int commit_parts) {
  workloads* w = calloc(1, sizeof *w);
  if (w == NULL) weft_check(weft_raise("There is no memory for the benchmark. Use fewer ranks per node."));
  weft_check(weft_comm_create(MPI_COMM_WORLD, &w->world));
  w->field = field;
  make_halo(w, (size_t)points);
  w->few = ring_of(w->world, step_parts / 2, WEFT_BENCH_NUMBERS);
  w->many = ring_of(w->world, commit_parts / 2, 1);
  w->sends = malloc(w->few.count * sizeof *w->sends);
  if (w->sends == NULL) weft_check(weft_raise("There is no memory for the benchmark. Use fewer ranks per node."));
  weft_check(weft_step_manager_create(w->world, NULL, &w->manager));
  const weft_client client = {
      .size = sizeof client, .context = w, .request = request, .before = before, .during = during, .after = after};
  weft_check(weft_step_manager_add(w->manager, "ring", &client, 1, 0));
  weft_check(weft_space_create(w->world, &w->space));
  return w;
}

double weft_bench_halo_c(void* of) {
  workloads* w = of;
  weft_check(weft_halo_exchange_start(w->ghosts, 0));
  weft_check(weft_halo_exchange_finish(w->ghosts));
  return w->field[0];
}

double weft_bench_step_c(void* of) {
  workloads* w = of;
  weft_check(weft_step_manager_run_step(w->manager));
  return w->sum;
}

void weft_bench_commit_c(void* of) {
  workloads* w = of;
  const ring* r = &w->many;
  const weft_exchange_options options = {.size = sizeof options, .space = w->space};
  weft_exchange exchange;
  weft_requests list;
  weft_check(weft_exchange_create(w->world, &options, &exchange));
  weft_check(weft_exchange_client(exchange, "many", &list));
  for (size_t i = 0; i < r->count; ++i) {
    weft_check(weft_send(list, r->right, i, weft_contiguous(r->out + i, 1, WEFT_DOUBLE), 0, NULL));
    weft_check(weft_receive(list, r->left, i, weft_contiguous(r->in + i, 1, WEFT_DOUBLE), 0, NULL));
  }
  weft_check(weft_exchange_commit(exchange));
  weft_check(weft_exchange_free(&exchange));
}

void weft_bench_free_c(void* of) {
  workloads* w = of;
  weft_check(weft_halo_exchange_free(&w->ghosts));
  weft_check(weft_halo_free(&w->halo));
  weft_check(weft_grid_free(&w->grid));
  weft_check(weft_step_manager_free(&w->manager));
  weft_check(weft_space_free(&w->space));
  weft_check(weft_comm_free(&w->world));
  free(w->sends);
  free(w->few.out);
  free(w->few.in);
  free(w->many.out);
  free(w->many.in);
  free(w);
}
