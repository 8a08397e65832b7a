/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts, halos and steps in memory of a test device. */
#include "test.h"

enum { n = 40 };

static weft_device device;
static weft_queue queue;

static double* numbers(size_t count) {
  void* memory = NULL;
  OK(weft_test_device_allocate(device, count * sizeof(double), &memory));
  return memory;
}
static double* inside(double* memory) {
  void* at = NULL;
  OK(weft_test_device_inside(device, memory, &at));
  return at;
}

/* Kernels. */
typedef struct work {
  double *values, value;
  int count, wrong;
} work;
static void set(void* context) {
  const work* w = context;
  for (int i = 0; i < w->count; ++i) w->values[i] = w->value;
}
static void check(void* context) {
  work* w = context;
  for (int i = 0; i < w->count; ++i) w->wrong += w->values[i] != w->value;
}

static void ring(void) {
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  double *mine = numbers(n), *ghosts = numbers(n);
  work fills[4], checks[4];
  weft_exchange exchange;
  weft_requests list;
  weft_part out;
  const weft_queue none = {NULL, NULL};
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "ring", &list));
  OK(weft_send(list, right, 1, weft_on(weft_contiguous(mine, n, WEFT_DOUBLE), device), 0, &out));
  OK(weft_receive(list, left, 1, weft_on(weft_contiguous(ghosts, n, WEFT_DOUBLE), device), 0, NULL));
  OK(weft_exchange_commit(exchange));
  for (int step = 0; step < 4; ++step) {
    fills[step] = (work){inside(mine), 100. * step + rank, n, 0};
    checks[step] = (work){inside(ghosts), 100. * step + left, n, 0};
    OK(weft_test_device_launch(queue, set, &fills[step]));
    OK(weft_exchange_start_queue(exchange, 0, queue));
    if (step == 0)
      REFUSED(WEFT_ERR_HANDLE, "a stream, but no device",
              weft_exchange_ready_queue(exchange, out, (weft_queue){NULL, queue.stream}));
    if (step % 2 == 0)
      OK(weft_exchange_ready(exchange, out));
    else
      OK(weft_exchange_ready_queue(exchange, out, queue));
    if (step % 2 == 0)
      OK(weft_exchange_wait_queue(exchange, queue));
    else
      OK(weft_exchange_wait_round_queue(exchange, 0, queue));
    OK(weft_test_device_launch(queue, check, &checks[step]));
  }
  OK(weft_test_device_synchronize(queue));
  for (int step = 0; step < 4; ++step) CHECK(checks[step].wrong == 0);
  OK(weft_exchange_start(exchange, 0));
  REFUSED(WEFT_ERR, "without a queue", weft_exchange_ready(exchange, out));
  REFUSED(WEFT_ERR, "without a queue", weft_exchange_ready_queue(exchange, out, none));
  OK(weft_exchange_ready_queue(exchange, out, queue));
  OK(weft_exchange_wait(exchange));
  CHECK(inside(ghosts)[n - 1] == 300. + left);
  OK(weft_exchange_free(&exchange));
  OK(weft_test_device_release(device, mine));
  OK(weft_test_device_release(device, ghosts));
}

/* A halo on the device and the same on the host. */
static void halo(void) {
  const size_t extent[2] = {12, 8};
  const int periodic[2] = {1, 1};
  weft_grid grid;
  weft_points block;
  weft_halo halos[2];
  weft_halo_exchange exchanges[2];
  weft_field field = {.size = sizeof field, .type = WEFT_DOUBLE};
  size_t count;
  double *host, *on_device;
  OK(weft_grid_create(world, 2, extent, NULL, periodic, &grid));
  OK(weft_grid_block(grid, rank, &block));
  count = (block.count[0] + 2) * (block.count[1] + 2);
  host = malloc(count * sizeof *host);
  on_device = numbers(count);
  for (size_t i = 0; i < count; ++i) inside(on_device)[i] = host[i] = 1000. * rank + (double)i;
  for (int k = 0; k < 2; ++k) {
    field.data = k == 0 ? host : on_device;
    field.device = k == 0 ? NULL : device;
    OK(weft_halo_create(grid, NULL, &halos[k]));
    OK(weft_halo_add(halos[k], &field, NULL));
    OK(weft_halo_exchange_create(world, halos[k], NULL, &exchanges[k]));
    OK(weft_halo_free(&halos[k]));
  }
  OK(weft_halo_exchange_start(exchanges[0], 0));
  OK(weft_halo_exchange_start_queue(exchanges[1], 0, queue));
  OK(weft_halo_exchange_finish(exchanges[0]));
  OK(weft_halo_exchange_finish_queue(exchanges[1], queue));
  OK(weft_test_device_synchronize(queue));
  CHECK(memcmp(host, inside(on_device), count * sizeof *host) == 0);
  for (int k = 0; k < 2; ++k) OK(weft_halo_exchange_free(&exchanges[k]));
  OK(weft_grid_free(&grid));
  OK(weft_test_device_release(device, on_device));
  free(host);
}

typedef struct client {
  double *mine, *ghosts;
  work fills[3], checks[3];
} client;
static int request(void* context, weft_requests list) {
  client* c = context;
  OK(weft_send(list, (rank + 1) % ranks, 1, weft_on(weft_contiguous(c->mine, n, WEFT_DOUBLE), device), 0, NULL));
  return weft_receive(list, (rank + ranks - 1) % ranks, 1, weft_on(weft_contiguous(c->ghosts, n, WEFT_DOUBLE), device),
                      0, NULL);
}
static int before(void* context, weft_step step) {
  client* c = context;
  int64_t number;
  OK(weft_step_number(step, &number, NULL));
  c->fills[number] = (work){inside(c->mine), 10. * (double)number + rank, n, 0};
  return weft_test_device_launch(queue, set, &c->fills[number]);
}
static int after(void* context, weft_step step) {
  client* c = context;
  int64_t number;
  OK(weft_step_number(step, &number, NULL));
  c->checks[number] = (work){inside(c->ghosts), 10. * (double)number + (rank + ranks - 1) % ranks, n, 0};
  return weft_test_device_launch(queue, check, &c->checks[number]);
}

static void steps(void) {
  client c = {.mine = numbers(n), .ghosts = numbers(n)};
  const weft_client functions = {
      .size = sizeof functions, .context = &c, .request = request, .before = before, .after = after};
  weft_step_manager manager;
  OK(weft_step_manager_create(world, NULL, &manager));
  OK(weft_step_manager_add(manager, "ring", &functions, 1, 0));
  for (int step = 0; step < 3; ++step) OK(weft_step_manager_run_step_queue(manager, queue));
  OK(weft_test_device_synchronize(queue));
  for (int step = 0; step < 3; ++step) CHECK(c.checks[step].wrong == 0);
  OK(weft_step_manager_free(&manager));
  OK(weft_test_device_release(device, c.mine));
  OK(weft_test_device_release(device, c.ghosts));
}

static void wrong_devices(void) {
  weft_device other = NULL;
  void* memory;
  if (weft_device_cuda(-1, &other) != WEFT_OK) CHECK(strstr(weft_error_text(), "CUDA") != NULL);
  OK(weft_device_free(&other));
  REFUSED(WEFT_ERR_HANDLE, "device", weft_test_device_allocate(other, 8, &memory));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(weft_test_device_create((uint64_t)rank + 1, &device));
  OK(weft_test_device_queue(device, &queue));
  ring();
  halo();
  steps();
  wrong_devices();
  OK(weft_device_free(&device));
  end();
  return 0;
}
