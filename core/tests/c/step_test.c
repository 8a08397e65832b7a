/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

/* A ring that sends a number to the right in each step; the receiver must get that of the left neighbour. */
struct ring {
  double out, in, sum, all, base;
  weft_part send, total;
  int calls[4], requests, of_program;
  MPI_Request request;
};
static int ring_request(void* context, weft_requests list) {
  struct ring* ring = context;
  ++ring->requests;
  OK(weft_send(list, (rank + 1) % ranks, 1, weft_contiguous(&ring->out, 1, WEFT_DOUBLE), 0, &ring->send));
  OK(weft_receive(list, (rank + ranks - 1) % ranks, 1, weft_contiguous(&ring->in, 1, WEFT_DOUBLE), 0, NULL));
  OK(weft_all_reduce(list, &ring->sum, &ring->all, 1, WEFT_DOUBLE, WEFT_SUM, 0, &ring->total));
  return 0;
}
static int ring_before(void* context, weft_step step) {
  struct ring* ring = context;
  int64_t number = -1;
  int round = -1;
  OK(weft_step_number(step, &number, &round));
  CHECK(round == 0);
  ring->out = ring->base + 10. * rank + (double)number;
  ring->sum = 1 + rank;
  OK(weft_step_ready(step, ring->send));
  OK(weft_step_ready(step, ring->total));
  MPI_Iallreduce(&rank, &ring->of_program, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &ring->request);
  OK(weft_step_wait_also(step, &ring->request));
  ++ring->calls[0];
  return 0;
}
static int ring_during(void* context, weft_step step) {
  struct ring* ring = context;
  OK(weft_step_progress(step));
  ++ring->calls[1];
  return 0;
}
static int ring_after(void* context, weft_step step) {
  struct ring* ring = context;
  int64_t number = -1;
  OK(weft_step_number(step, &number, NULL));
  CHECK(ring->in == ring->base + 10. * ((rank + ranks - 1) % ranks) + (double)number);
  CHECK(ring->all == ranks * (ranks + 1) / 2.);
  CHECK(ring->request == MPI_REQUEST_NULL && ring->of_program == ranks * (ranks - 1) / 2);
  ++ring->calls[2];
  return 0;
}
static int ring_finish(void* context, weft_step step) {
  struct ring* ring = context;
  (void)step;
  ++ring->calls[3];
  return 0;
}
static weft_client client_of(struct ring* ring) {
  weft_client client = {.size = sizeof client};
  client.context = ring;
  client.request = ring_request;
  client.before = ring_before;
  client.during = ring_during;
  client.after = ring_after;
  client.finish = ring_finish;
  return client;
}

static void clients_share_a_wait(int separate, int progress) {
  struct ring one = {.base = 0}, two = {.base = 1000};
  const weft_client first = client_of(&one), second = client_of(&two);
  const char* const names[2] = {"one", "two"};
  weft_step_options options = {.size = sizeof options};
  weft_step_counts counts = {.size = sizeof counts};
  weft_step_manager manager;
  weft_timeline timeline;
  weft_overlap_report report;
  const char* text = NULL;
  double fraction = -1, seconds = 0;
  int64_t step = -1;
  OK(weft_timeline_create(0, &timeline));
  options.timeline = timeline;
  options.separate = separate;
  options.progress.size = sizeof options.progress;
  options.progress.kind = progress;
  OK(weft_step_manager_create(world, &options, &manager));
  OK(weft_step_manager_add(manager, "one", &first, 0, 0));
  OK(weft_step_manager_add(manager, "two", &second, 2, 1));
  for (int i = 0; i < 6; ++i) OK(weft_step_manager_run_step(manager));
  OK(weft_step_manager_step(manager, &step));
  CHECK(step == 6);
  for (int i = 0; i < 4; ++i) CHECK(one.calls[i] == 6 && two.calls[i] == 3);
  OK(weft_step_manager_counts(manager, &counts));
  CHECK(counts.steps == 6 && counts.waits == (separate ? 9 : 6) && counts.collectives == 9);
  if (ranks > 1) CHECK(counts.messages == (separate ? 9 : 6) && counts.bytes >= 9 * (int64_t)sizeof(double));
  OK(weft_overlap_report_create(world, manager, timeline, 2, names, 2, &report));
  OK(weft_overlap_report_text(report, &text));
  CHECK(strstr(text, "one") != NULL && strstr(text, "two") != NULL);
  OK(weft_overlap_report_json(report, &text));
  CHECK(text[0] == '{');
  OK(weft_overlap_report_fraction(report, &fraction));
  CHECK(fraction >= 0 && fraction <= 1);
  OK(weft_overlap_report_free(&report));
  OK(weft_timeline_total(timeline, "one", WEFT_COMPUTE, &seconds));
  CHECK(seconds > 0);
  OK(weft_step_manager_describe(manager, &text));
  CHECK(strlen(text) > 0);

  OK(weft_step_manager_activate(manager, "two", 0));
  OK(weft_step_manager_changed(manager, "one"));
  CHECK(one.requests == 2);
  options.separate = !separate;
  options.timeline = NULL;
  OK(weft_step_manager_use(manager, &options, 1));
  OK(weft_step_manager_start_at(manager, 101));
  OK(weft_step_manager_run_step(manager));
  CHECK(one.calls[0] == 7 && two.calls[0] == 3);
  OK(weft_step_manager_measure_alone(manager, 2, &seconds));
  OK(weft_step_manager_reset_counts(manager));
  OK(weft_step_manager_remove(manager, "one"));
  OK(weft_step_manager_run_step(manager));
  OK(weft_timeline_free(&timeline)); /* before what records in it */
  OK(weft_step_manager_free(&manager));
}

/* A halo as a client: the interior in `during`, the ghosts in the last `after`. */
enum { nx = 12, ny = 8 };
struct grid_client {
  weft_halo halo;
  double* u;
  size_t rows, columns;
  weft_points block;
  int rounds;
};
static double value_at(size_t i, size_t j) { return (double)(i % nx) * 100 + (double)(j % ny); }
static int grid_before(void* context, weft_step step) {
  struct grid_client* grid = context;
  int round = 0;
  OK(weft_step_number(step, NULL, &round));
  if (round > 0) return 0;
  for (size_t i = 0; i < grid->rows; ++i)
    for (size_t j = 0; j < grid->columns; ++j)
      grid->u[i * grid->columns + j] = i > 0 && i + 1 < grid->rows && j > 0 && j + 1 < grid->columns
                                           ? value_at(grid->block.first[0] + i - 1, grid->block.first[1] + j - 1)
                                           : -1;
  return 0;
}
static int grid_after(void* context, weft_step step) {
  struct grid_client* grid = context;
  int round = 0;
  OK(weft_step_number(step, NULL, &round));
  if (round + 1 < grid->rounds) return 0;
  for (size_t i = 0; i < grid->rows; ++i)
    for (size_t j = 0; j < grid->columns; ++j)
      CHECK(grid->u[i * grid->columns + j] ==
            value_at(grid->block.first[0] + i + nx - 1, grid->block.first[1] + j + ny - 1));
  return 0;
}
static void halo_client(int scheme) {
  const size_t extent[2] = {nx, ny};
  const int periodic[2] = {1, 1};
  struct grid_client of;
  weft_client client = {.size = sizeof client};
  weft_halo_options options = {.size = sizeof options};
  weft_field field = {.size = sizeof field};
  weft_grid grid;
  weft_step_manager manager;
  double* elsewhere;
  OK(weft_grid_create(world, 2, extent, NULL, periodic, &grid));
  options.scheme = scheme;
  OK(weft_halo_create(grid, &options, &of.halo));
  OK(weft_grid_block(grid, rank, &of.block));
  of.rows = of.block.count[0] + 2, of.columns = of.block.count[1] + 2;
  of.u = malloc(of.rows * of.columns * sizeof(double));
  elsewhere = malloc(of.rows * of.columns * sizeof(double));
  field.data = of.u;
  field.type = WEFT_DOUBLE;
  field.moves = 1;
  field.name = "temperature";
  OK(weft_halo_add(of.halo, &field, NULL));
  OK(weft_halo_rounds(of.halo, &of.rounds));
  client.context = &of;
  client.before = grid_before;
  client.after = grid_after;
  OK(weft_step_manager_create(world, NULL, &manager));
  OK(weft_step_manager_add_halo(manager, "grid", of.halo, &client, 0, 0));
  for (int i = 0; i < 2; ++i) OK(weft_step_manager_run_step(manager));
  free(of.u);
  of.u = elsewhere;
  OK(weft_step_manager_rebind_field(manager, "grid", 0, elsewhere));
  OK(weft_step_manager_run_step(manager));
  OK(weft_halo_free(&of.halo));
  OK(weft_grid_free(&grid));
  OK(weft_step_manager_free(&manager));
  free(elsewhere);
}

struct diagnostic {
  int64_t mine, seen, step, uses;
};
static int local_value(void* context, void* value) {
  struct diagnostic* of = context;
  memcpy(value, &of->mine, sizeof of->mine);
  return 0;
}
static int use_value(void* context, const void* value, int64_t step) {
  struct diagnostic* of = context;
  memcpy(&of->seen, value, sizeof of->seen);
  of->step = step;
  ++of->uses;
  return 0;
}
static void largest(const void* left, void* inout, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int64_t a, b;
    memcpy(&a, (const char*)left + i * sizeof a, sizeof a);
    memcpy(&b, (char*)inout + i * sizeof b, sizeof b);
    if (a > b) memcpy((char*)inout + i * sizeof a, &a, sizeof a);
  }
}
static void monitors(int way) {
  struct diagnostic first = {.mine = 5 * rank}, second = {.mine = -rank};
  weft_monitors all;
  weft_step_manager manager;
  weft_monitor monitor = {.size = sizeof monitor};
  weft_monitors_options options = {.size = sizeof options};
  int idle = 0, steps = way == WEFT_PHASED ? 8 : 2;
  int64_t next = 0;
  OK(weft_monitors_create(world, &all));
  monitor.name = "largest";
  monitor.value_bytes = sizeof(int64_t);
  monitor.combine = largest;
  monitor.local = local_value;
  monitor.use = use_value;
  monitor.context = &first;
  OK(weft_monitors_add(all, &monitor));
  monitor.context = &second;
  OK(weft_monitors_add(all, &monitor));
  OK(weft_step_manager_create(world, NULL, &manager));
  options.way = way;
  OK(weft_monitors_start(all, manager, "monitors", &options));
  for (int i = 0; i < steps; ++i) OK(weft_step_manager_run_step(manager));
  for (idle = 0; !idle;) {
    OK(weft_step_manager_step(manager, &next));
    OK(weft_monitors_idle_before(all, next, &idle));
    if (!idle) OK(weft_step_manager_run_step(manager));
  }
  CHECK(first.uses > 0 && first.seen == 5 * (ranks - 1));
  CHECK(second.uses == first.uses && second.seen == 0);
  REFUSED(WEFT_ERR_HANDLE, "Stop or remove", weft_step_manager_free(&manager));
  OK(weft_monitors_stop(all, manager));
  first.mine = 77 + rank;
  OK(weft_monitors_read_now(all, 99));
  CHECK(first.seen == 77 + ranks - 1 && first.step == 99);
  OK(weft_step_manager_free(&manager));
  OK(weft_monitors_free(&all));
}

static int loads, uses;
static int count_load(void* context) {
  double* in = context;
  in[0] = rank + 1;
  ++loads;
  return 0;
}
static int count_use(void* context) {
  (void)context;
  ++uses;
  return 0;
}
static void rounds(int phased) {
  double in[1] = {0}, out[1] = {0};
  weft_rounds_options options = {.size = sizeof options};
  weft_rounds sum;
  weft_step_manager manager;
  int count = 0;
  loads = uses = 0;
  options.kind = WEFT_COLLECTIVE_ALL_REDUCE;
  options.in = in;
  options.out = out;
  options.count = 1;
  options.type = WEFT_DOUBLE;
  options.op = WEFT_SUM;
  options.phased = phased;
  options.context = in;
  options.load = count_load;
  options.use = count_use;
  OK(weft_rounds_create(world, &options, &sum));
  OK(weft_rounds_count(sum, &count));
  CHECK(ranks == 1 || count >= 1);
  OK(weft_step_manager_create(world, NULL, &manager));
  OK(weft_rounds_add(sum, manager, "sum"));
  for (int i = 0; i < 6; ++i) OK(weft_step_manager_run_step(manager));
  CHECK(loads > 0 && uses > 0 && out[0] == ranks * (ranks + 1) / 2.);
  REFUSED(WEFT_ERR_HANDLE, "weft_rounds_remove first", weft_rounds_free(&sum));
  OK(weft_rounds_remove(sum, manager));
  OK(weft_rounds_free(&sum));
  OK(weft_step_manager_free(&manager));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int progress = WEFT_POLLING; progress <= WEFT_SEND_RECEIVE_THREADS; ++progress) {
    clients_share_a_wait(0, progress);
    clients_share_a_wait(1, progress);
  }
  halo_client(WEFT_DIRECT);
  halo_client(WEFT_BY_DIMENSION);
  for (int way = WEFT_NONBLOCKING; way <= WEFT_PHASED; ++way) monitors(way);
  rounds(0);
  rounds(1);
  end();
  return 0;
}
