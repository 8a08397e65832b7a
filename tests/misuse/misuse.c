/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses weft in C wrongly, in the way that the argument names (table.py). Prints `CODE: SENTENCE`. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "weft.h"

static int rank;
static weft_comm world;

/* Prints the error of a call that should fail: rank 0 to stdout and rank 1 to stderr, so that their lines can't mix. */
static void refused(int code) {
  static const char* const names[] = {"none",          "WEFT_ERR",       "WEFT_ERR_HANDLE", "WEFT_ERR_EVERYWHERE",
                                      "WEFT_ERR_PEER", "WEFT_ERR_INPUT", "WEFT_ERR_MEMORY"};
  char line[4000];
  snprintf(line, sizeof line, "%s: %s\n", names[code], code == WEFT_OK ? "no error" : weft_error_text());
  fputs(line, rank == 0 ? stdout : stderr);
}

/* Each of the two ranks sends numbers to the other one. */
static double out[4], in[4];
static weft_exchange ring;
static weft_requests list;
static weft_part sent, received;
static void make_ring(size_t numbers, weft_type type) {
  weft_check(weft_exchange_create(world, NULL, &ring));
  weft_check(weft_exchange_client(ring, "ring", &list));
  weft_check(weft_send(list, 1 - rank, 1, weft_contiguous(out, 4, WEFT_DOUBLE), 0, &sent));
  weft_check(weft_receive(list, 1 - rank, 1, weft_contiguous(in, numbers, type), 0, &received));
}
static void start_ring(void) {
  make_ring(4, WEFT_DOUBLE);
  weft_check(weft_exchange_commit(ring));
  weft_check(weft_exchange_start(ring, 0));
}
static void end_ring(void) {
  weft_check(weft_exchange_ready_all(ring, list, 0));
  weft_check(weft_exchange_wait(ring));
  weft_check(weft_exchange_free(&ring));
}

static void wrong_rank_of_array(void) {
  const size_t extent[1] = {4}, zero[1] = {0};
  make_ring(4, WEFT_DOUBLE);
  refused(weft_send(list, 0, 2, weft_box(out, WEFT_DOUBLE, 65, extent, zero, extent), 0, NULL));
  weft_check(weft_exchange_free(&ring));
}

static void wrong_kind(void) {
  start_ring();
  refused(weft_exchange_ready(ring, received));
  end_ring();
}

static void wrong_handle(void) {
  const size_t extent[1] = {100};
  weft_grid grid;
  weft_check(weft_grid_create(world, 1, extent, NULL, NULL, &grid));
  refused(weft_exchange_commit((weft_exchange)(void*)grid));
  weft_check(weft_grid_free(&grid));
}

static void never_made(void) {
  weft_exchange none = NULL;
  refused(weft_exchange_commit(none));
}

static void freed(void) {
  weft_exchange copy;
  make_ring(4, WEFT_DOUBLE);
  copy = ring;
  weft_check(weft_exchange_free(&ring));
  refused(weft_exchange_commit(copy));
}

static void after_finalize(void) {
  make_ring(4, WEFT_DOUBLE);
  weft_check(weft_exchange_commit(ring));
  MPI_Finalize();
  refused(weft_exchange_start(ring, 0));
  weft_check(weft_exchange_free(&ring));
}

static void sizes_differ(void) {
  make_ring(3, WEFT_DOUBLE);
  refused(weft_exchange_commit(ring));
  weft_check(weft_exchange_free(&ring));
}

static void types_differ(void) {
  make_ring(4, WEFT_INT64);
  refused(weft_exchange_commit(ring));
  weft_check(weft_exchange_free(&ring));
}

static void no_other_end(void) {
  make_ring(4, WEFT_DOUBLE);
  if (rank == 0) weft_check(weft_send(list, 1, 2, weft_contiguous(out, 4, WEFT_DOUBLE), 0, NULL));
  refused(weft_exchange_commit(ring));
  weft_check(weft_exchange_free(&ring));
}

static void not_committed(void) {
  make_ring(4, WEFT_DOUBLE);
  refused(weft_exchange_start(ring, 0));
  weft_check(weft_exchange_free(&ring));
}

static void not_ready(void) {
  start_ring();
  refused(weft_exchange_wait(ring));
  end_ring();
}

static void ready_twice(void) {
  start_ring();
  weft_check(weft_exchange_ready(ring, sent));
  refused(weft_exchange_ready(ring, sent));
  end_ring();
}

static void start_twice(void) {
  start_ring();
  refused(weft_exchange_start(ring, 0));
  end_ring();
}

static void finish_without_start(void) {
  static double u[100];
  const size_t extent[2] = {8, 8};
  weft_grid grid;
  weft_halo halo;
  weft_halo_exchange exchange;
  weft_field field = {.size = sizeof field, .data = u, .type = WEFT_DOUBLE};
  weft_check(weft_grid_create(world, 2, extent, NULL, NULL, &grid));
  weft_check(weft_halo_create(grid, NULL, &halo));
  weft_check(weft_halo_add(halo, &field, NULL));
  weft_check(weft_halo_exchange_create(world, halo, NULL, &exchange));
  refused(weft_halo_exchange_finish(exchange));
  weft_check(weft_halo_exchange_free(&exchange));
  weft_check(weft_halo_free(&halo));
  weft_check(weft_grid_free(&grid));
}

static void wrong_peer(void) {
  make_ring(4, WEFT_DOUBLE);
  weft_check(weft_send(list, 7, 2, weft_contiguous(out, 4, WEFT_DOUBLE), 0, NULL));
  refused(weft_exchange_commit(ring));
  weft_check(weft_exchange_free(&ring));
}

static void receives_overlap(void) {
  make_ring(4, WEFT_DOUBLE);
  weft_check(weft_send(list, 1 - rank, 2, weft_contiguous(out, 4, WEFT_DOUBLE), 0, NULL));
  weft_check(weft_receive_combine(list, 1 - rank, 2, weft_contiguous(in, 4, WEFT_DOUBLE), WEFT_SUM, 0, 0, NULL));
  refused(weft_exchange_commit(ring));
  weft_check(weft_exchange_free(&ring));
}

static void nobodys_number(void) {
  const uint64_t owned = (uint64_t)rank, wanted = 77;
  weft_graph graph;
  refused(weft_graph_create(world, 1, &owned, rank == 0 ? 1 : 0, &wanted, &graph));
}

static int request(void* context, weft_requests requests) {
  (void)context;
  return weft_all_reduce(requests, out, in, 1, WEFT_DOUBLE, WEFT_SUM, 0, NULL);
}
static int before(void* context, weft_step step) {
  (void)context;
  (void)step;
  return rank == 1 ? weft_raise("The pressure is negative.") : 0;
}
static void callback_fails(void) {
  weft_client client = {.size = sizeof client};
  weft_step_manager manager;
  client.request = request;
  client.before = before;
  weft_check(weft_step_manager_create(world, NULL, &manager));
  weft_check(weft_step_manager_add(manager, "pressure", &client, 0, 0));
  refused(weft_step_manager_run_step(manager));
  weft_check(weft_step_manager_free(&manager));
}

#define CASE(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {CASE(wrong_rank_of_array),
             CASE(wrong_kind),
             CASE(wrong_handle),
             CASE(never_made),
             CASE(freed),
             CASE(after_finalize),
             CASE(sizes_differ),
             CASE(types_differ),
             CASE(no_other_end),
             CASE(not_committed),
             CASE(not_ready),
             CASE(ready_twice),
             CASE(start_twice),
             CASE(finish_without_start),
             CASE(wrong_peer),
             CASE(receives_overlap),
             CASE(nobodys_number),
             CASE(callback_fails)};

int main(int argc, char** argv) {
  int provided = 0, is_finalised = 0, found = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  weft_check(weft_comm_create(MPI_COMM_WORLD, &world));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) cases[i].run(), found = 1;
  weft_check(weft_comm_free(&world));
  MPI_Finalized(&is_finalised);
  if (!is_finalised) MPI_Finalize();
  return !found;
}
