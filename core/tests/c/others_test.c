/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo exchanges, pipelines, mailboxes, tuning. */
#include <math.h>

#include "test.h"

enum { n = 8 };

/* A 3-D halo of an array of structures, of width 1 in an array with 2 ghost layers, every scheme and payload. */
static void halo(int scheme, int payload) {
  const size_t extent[3] = {n, n, n};
  const int periodic[3] = {1, 0, 1}, up[3] = {1, 0, 0};
  weft_grid grid;
  weft_halo halo;
  weft_halo_exchange exchange;
  weft_points block, interior, boundary[6];
  weft_halo_options options = {.size = sizeof options};
  weft_field field = {.size = sizeof field};
  int processes[3], position[3], neighbour = -2, boxes = 0, failed_yet = 1;
  size_t m[3], points = 1, number = 7, covered;
  float* u;
  const char* text = NULL;
  OK(weft_grid_create(world, 3, extent, NULL, periodic, &grid));
  OK(weft_grid_block(grid, rank, &block));
  OK(weft_grid_processes(grid, rank, processes, position));
  CHECK(processes[0] * processes[1] * processes[2] == ranks);
  OK(weft_grid_neighbour(grid, up, &neighbour));
  CHECK(neighbour >= 0 && neighbour < ranks);
  for (int a = 0; a < 3; ++a) m[a] = block.count[a] + 4, points *= m[a];
  u = malloc(points * 2 * sizeof *u);
  options.scheme = scheme;
  options.payload = payload;
  OK(weft_halo_create(grid, &options, &halo));
  field.data = u;
  field.type = WEFT_FLOAT;
  field.components = 2;
  field.site_stride = 2;
  field.component_stride = 1;
  field.layers = 2;
  OK(weft_halo_add(halo, &field, &number));
  CHECK(number == 0);
  OK(weft_halo_describe(halo, &text));
  OK(weft_halo_interior(halo, &interior));
  OK(weft_halo_boundary(halo, &boxes, boundary));
  covered = interior.count[0] * interior.count[1] * interior.count[2];
  for (int b = 0; b < boxes; ++b) covered += boundary[b].count[0] * boundary[b].count[1] * boundary[b].count[2];
  CHECK(covered == block.count[0] * block.count[1] * block.count[2]);
  OK(weft_halo_exchange_create(world, halo, NULL, &exchange));
  OK(weft_halo_free(&halo));
  for (int times = 0; times < 2; ++times) {
    for (size_t k = 0; k < points * 2; ++k) u[k] = -1;
    for (size_t i = 0; i < block.count[0]; ++i)
      for (size_t j = 0; j < block.count[1]; ++j)
        for (size_t k = 0; k < block.count[2]; ++k)
          for (size_t c = 0; c < 2; ++c)
            u[2 * (((i + 2) * m[1] + j + 2) * m[2] + k + 2) + c] =
                (float)((block.first[0] + i) * 1000 + (block.first[1] + j) * 100 + (block.first[2] + k) * 10 + c);
    OK(weft_halo_exchange_start(exchange, 0));
    OK(weft_halo_exchange_progress(exchange));
    OK(weft_halo_exchange_finish(exchange));
    for (size_t i = 0; i < block.count[0] + 2; ++i)
      for (size_t j = 0; j < block.count[1] + 2; ++j)
        for (size_t k = 0; k < block.count[2] + 2; ++k)
          for (size_t c = 0; c < 2; ++c) {
            const size_t y = block.first[1] + j; /* one more than the point's */
            const float is = u[2 * (((i + 1) * m[1] + j + 1) * m[2] + k + 1) + c];
            const float wanted = (float)((block.first[0] + i + n - 1) % n * 1000 + (y - 1) * 100 +
                                         (block.first[2] + k + n - 1) % n * 10 + c);
            CHECK(y == 0 || y == n + 1 ? is == -1 : is == wanted);
          }
  }
  OK(weft_halo_exchange_has_failed(exchange, &failed_yet));
  CHECK(!failed_yet);
  OK(weft_halo_exchange_free(&exchange));
  OK(weft_grid_free(&grid));
  free(u);
}

/* A reverse halo in one dimension: owners add what the ghost points have. */
static void adding_halo(void) {
  const size_t extent[1] = {n};
  const int periodic[1] = {1}, up[3] = {1, 0, 0}, down[3] = {-1, 0, 0};
  double u[n + 2];
  weft_grid grid;
  weft_halo halo, filling;
  weft_halo_exchange exchange;
  weft_points block;
  weft_halo_options options = {.size = sizeof options, .reverse = 1};
  weft_field field = {.size = sizeof field, .data = u, .type = WEFT_DOUBLE, .name = "charge"};
  int above = 0, below = 0;
  size_t number = 7, last;
  OK(weft_grid_create(world, 1, extent, NULL, periodic, &grid));
  OK(weft_grid_block(grid, rank, &block));
  OK(weft_grid_neighbour(grid, up, &above));
  OK(weft_grid_neighbour(grid, down, &below));
  OK(weft_halo_create(grid, NULL, &filling));
  REFUSED(WEFT_ERR_EVERYWHERE, "'charge' combines", weft_halo_add_combine(filling, &field, WEFT_SUM, NULL));
  OK(weft_halo_create(grid, &options, &halo));
  REFUSED(WEFT_ERR_EVERYWHERE, "neither velocities", weft_halo_add(halo, &field, NULL));
  OK(weft_halo_add_combine(halo, &field, WEFT_SUM, &number));
  CHECK(number == 0);
  OK(weft_halo_exchange_create(world, halo, NULL, &exchange));
  last = block.count[0];
  for (size_t i = 1; i <= last; ++i) u[i] = 10;
  u[0] = rank + 0.25, u[last + 1] = rank + 0.5;
  OK(weft_halo_exchange_start(exchange, 0));
  OK(weft_halo_exchange_finish(exchange));
  CHECK(u[1] == 10.5 + below && u[last] == 10.25 + above);
  for (size_t i = 2; i < last; ++i) CHECK(u[i] == 10);
  OK(weft_halo_exchange_free(&exchange));
  OK(weft_halo_free(&halo));
  OK(weft_halo_free(&filling));
  OK(weft_grid_free(&grid));
}

/* A halo on blocks of the program's own lengths, on the ranks of a Cartesian communicator. */
static void own_blocks(void) {
  int dims[1], periods[1] = {1}, my_rank, processes = ranks;
  size_t lengths[16], begin_at = 0;
  const size_t* of_axes[1] = {lengths};
  double u[64];
  MPI_Comm line;
  weft_comm comm;
  weft_grid grid;
  weft_halo halo;
  weft_halo_exchange exchange;
  weft_points block;
  weft_field field = {.size = sizeof field};
  dims[0] = ranks;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &line);
  MPI_Comm_rank(line, &my_rank);
  for (int r = 0; r < ranks; ++r) lengths[r] = 3 + (size_t)r * 2;
  for (int r = 0; r < my_rank; ++r) begin_at += lengths[r];
  OK(weft_comm_create(line, &comm));
  OK(weft_grid_create_blocks(comm, 1, &processes, of_axes, periods, &grid));
  OK(weft_grid_block(grid, my_rank, &block));
  CHECK(block.first[0] == begin_at && block.count[0] == lengths[my_rank]);
  for (size_t i = 0; i < block.count[0]; ++i) u[i + 1] = (double)(begin_at + i);
  field.data = u;
  field.type = WEFT_DOUBLE;
  OK(weft_halo_create(grid, NULL, &halo));
  OK(weft_halo_add(halo, &field, NULL));
  OK(weft_halo_exchange_create(comm, halo, NULL, &exchange));
  OK(weft_halo_exchange_start(exchange, 0));
  OK(weft_halo_exchange_finish(exchange));
  {
    const size_t all = (size_t)(ranks * 3 + ranks * (ranks - 1));
    CHECK(u[0] == (double)((begin_at + all - 1) % all));
    CHECK(u[block.count[0] + 1] == (double)((begin_at + block.count[0]) % all));
  }
  OK(weft_halo_exchange_free(&exchange));
  OK(weft_halo_free(&halo));
  lengths[0] = 0;
  REFUSED(WEFT_ERR_EVERYWHERE, "Give each block a point",
          weft_grid_create_blocks(comm, 1, &processes, of_axes, NULL, &grid));
  OK(weft_comm_free(&comm));
  MPI_Comm_free(&line);
}

/* Tiles of squares, each sent to the next rank by an exchange, or reduced by MPI. */
struct tiles {
  double out[3][4], in[3][4], sum;
  weft_exchange exchange[3];
  weft_requests list[3];
  int by_mpi, order[16], orders;
};
static int compute(void* context, const weft_tile* tile) {
  struct tiles* of = context;
  OK(weft_tile_progress(tile));
  for (size_t i = 0; i < 4; ++i)
    of->out[tile->slot][i] = i < tile->count ? (double)((tile->first + i) * (tile->first + i)) : 0;
  of->order[of->orders++ % 16] = (int)tile->index;
  return 0;
}
static int communicate(void* context, const weft_tile* tile, weft_communication* started) {
  struct tiles* of = context;
  if (of->by_mpi) {
    MPI_Iallreduce(of->out[tile->slot], of->in[tile->slot], 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &started->request);
    return 0;
  }
  OK(weft_exchange_start(of->exchange[tile->slot], 0));
  OK(weft_exchange_ready_all(of->exchange[tile->slot], of->list[tile->slot], 0));
  started->exchange = of->exchange[tile->slot];
  return 0;
}
static int consume(void* context, const weft_tile* tile) {
  struct tiles* of = context;
  for (size_t i = 0; i < 4; ++i) of->sum += of->in[tile->slot][i];
  return 0;
}
static void pipeline(int by_mpi, size_t window) {
  struct tiles of = {.by_mpi = by_mpi};
  weft_pipeline_options options = {.size = sizeof options};
  double wanted = 0;
  for (int s = 0; s < 3; ++s) {
    OK(weft_exchange_create(world, NULL, &of.exchange[s]));
    OK(weft_exchange_client(of.exchange[s], "tiles", &of.list[s]));
    OK(weft_send(of.list[s], (rank + 1) % ranks, 1, weft_contiguous(of.out[s], 4, WEFT_DOUBLE), 0, NULL));
    OK(weft_receive(of.list[s], (rank + ranks - 1) % ranks, 1, weft_contiguous(of.in[s], 4, WEFT_DOUBLE), 0, NULL));
    OK(weft_exchange_commit(of.exchange[s]));
  }
  options.iterations = 10 + (size_t)rank; /* another number of tiles on some ranks */
  options.tile = 4;
  options.window = window;
  options.context = &of;
  options.compute = compute;
  options.communicate = communicate;
  options.consume = consume;
  OK(weft_pipeline_run(world, &options));
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < 10 + r; ++i)
      if (by_mpi || r == (rank + ranks - 1) % ranks) wanted += i * i;
  CHECK(of.sum == wanted);
  for (int s = 0; s < 3; ++s) OK(weft_exchange_free(&of.exchange[s]));
}
static int compute_badly(void* context, const weft_tile* tile) {
  (void)context;
  return tile->index == 1 ? weft_raise("the second tile is wrong") : 0;
}
static void failing_pipeline(void) {
  struct tiles of = {.by_mpi = 1};
  weft_pipeline_options options = {.size = sizeof options};
  options.iterations = 12;
  options.tile = 4;
  options.window = 1;
  options.context = &of;
  options.compute = compute_badly;
  options.communicate = communicate;
  options.consume = consume;
  REFUSED(WEFT_ERR, "the second tile is wrong", weft_pipeline_run(world, &options));
}

static weft_mailbox box;
static int64_t received_sum;
static int count_letter(void* context, int from, const void* data, size_t bytes) {
  const int* numbers = data;
  CHECK(context == &received_sum && from >= 0 && from < ranks);
  for (size_t i = 0; i < bytes / sizeof(int); ++i) received_sum += numbers[i];
  return 0;
}
static int hop(void* context, int from, const void* data, size_t bytes) {
  int left = 0;
  (void)context, (void)from;
  CHECK(bytes == sizeof left);
  memcpy(&left, data, sizeof left);
  if (left > 0) {
    --left;
    OK(weft_mailbox_post(box, (rank + 1) % ranks, 2, &left, sizeof left));
  }
  return 0;
}
static void mailbox(void) {
  int numbers[300], hops = 5;
  int64_t posted = 0, handled = 0;
  weft_mailbox_options options = {.size = sizeof options};
  options.bucket_bytes = 256;
  OK(weft_mailbox_create(world, &options, &box));
  OK(weft_mailbox_on(box, 1, count_letter, &received_sum));
  OK(weft_mailbox_on(box, 2, hop, NULL));
  for (int i = 0; i < 300; ++i) numbers[i] = i;
  received_sum = 0;
  for (int r = 0; r < ranks; ++r)
    for (size_t count = 0; count < 300; count += 37) OK(weft_mailbox_post(box, r, 1, numbers, count * sizeof(int)));
  OK(weft_mailbox_poll(box));
  OK(weft_mailbox_post(box, 0, 2, &hops, sizeof hops));
  OK(weft_mailbox_drain(box));
  {
    int64_t wanted = 0;
    for (int count = 0; count < 300; count += 37) wanted += count * (count - 1) / 2;
    CHECK(received_sum == ranks * wanted);
  }
  OK(weft_mailbox_counts(box, &posted, &handled));
  CHECK(posted >= 9 * ranks + 1 && handled >= 9 * ranks);
  REFUSED(WEFT_ERR, "no handler for messages of type 9", weft_mailbox_post(box, 0, 9, NULL, 0));
  REFUSED(WEFT_ERR, "ranks", weft_mailbox_post(box, ranks, 1, NULL, 0));
  OK(weft_mailbox_free(&box));
}

static int iterations, used;
static int use(void* context, weft_setting setting) {
  const char* value = NULL;
  size_t tile = 0;
  weft_step_options options = {.size = sizeof options};
  weft_message_options messages = {.size = sizeof messages};
  CHECK(context == &iterations);
  OK(weft_setting_value(setting, "grouping", &value));
  CHECK(value != NULL && (strcmp(value, "per_peer") == 0 || strcmp(value, "per_part") == 0));
  OK(weft_setting_value(setting, "colour", &value));
  CHECK(value == NULL);
  OK(weft_setting_number(setting, "tile", 3, &tile));
  CHECK(tile == 3 || tile == 8);
  messages.piece_bytes = 4096;
  OK(weft_setting_message_options(setting, &messages));
  CHECK(messages.grouping == (tile == 8 ? WEFT_PER_PART : WEFT_PER_PEER) && messages.piece_bytes == 4096);
  OK(weft_setting_step_options(setting, &options));
  CHECK(options.messages.grouping == messages.grouping && options.progress.kind == (tile == 8 ? WEFT_PASSIVE : 0));
  ++used;
  return 0;
}
static int iterate(void* context) {
  CHECK(context == &iterations);
  ++iterations;
  return 0;
}
static void tuning(void) {
  const char* const candidates[2] = {"grouping=per_peer", "grouping=per_part progress=passive tile=8"};
  const char *const wrong[1] = {"grouping"}, *text = NULL;
  char file[64];
  int settled = 0;
  weft_tuning tuning;
  weft_tuning_options options = {.size = sizeof options};
  options.candidates = 2;
  options.candidate = candidates;
  options.limit_seconds = 1;
  options.again = 1;
  sprintf(file, "c_tuning_%d.toml", ranks);
  options.file = file;
  OK(weft_tuning_create(world, "test", &options, &tuning));
  while (!settled && iterations < 1000000) {
    OK(weft_tuning_iterate(tuning, use, iterate, &iterations));
    OK(weft_tuning_settled(tuning, &settled));
  }
  OK(weft_tuning_iterate(tuning, use, iterate, &iterations));
  OK(weft_tuning_text(tuning, &text));
  CHECK(settled && iterations > 0 && strlen(text) > 0 && (ranks == 1 || used > 0));
  OK(weft_tuning_free(&tuning));
  options.candidates = 1;
  options.candidate = wrong;
  REFUSED(WEFT_ERR_INPUT, "name=value", weft_tuning_create(world, "test", &options, &tuning));
  if (rank == 0) remove(file);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int scheme = WEFT_DIRECT; scheme <= WEFT_REFERENCE; ++scheme)
    for (int payload = WEFT_WHOLE; payload <= WEFT_REDUCED; ++payload) halo(scheme, payload);
  own_blocks();
  adding_halo();
  for (size_t window = 0; window < 3; ++window) {
    pipeline(0, window);
    pipeline(1, window);
  }
  failing_pipeline();
  mailbox();
  tuning();
  end();
  return 0;
}
