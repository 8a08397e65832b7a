/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/howto/from-c.md, step 2: halo and reduction are clients of a step manager, which waits once per step. */
#include "stencil.h"
#include "weft.h"

/* [solver] */
typedef struct solver {
  heat h;
  weft_points interior, boundary[6];
  int boxes;
  double change, next_change; /**< `change`: the largest one of this rank in the previous step */
} solver;

static int solver_during(void* context, weft_step step) {
  solver* s = context;
  weft_points plane = s->interior;
  plane.count[0] = 1;
  s->next_change = 0;
  for (size_t x = 0; x < s->interior.count[0]; ++x, ++plane.first[0]) {
    s->next_change = larger(s->next_change, heat_update(&s->h, plane.first, plane.count));
    const int code = weft_step_progress(step);
    if (code != WEFT_OK) return code;
  }
  return WEFT_OK;
}

static int solver_after(void* context, weft_step step) {
  solver* s = context;
  (void)step;
  for (int b = 0; b < s->boxes; ++b)
    s->next_change = larger(s->next_change, heat_update(&s->h, s->boundary[b].first, s->boundary[b].count));
  s->change = s->next_change;
  heat_swap(&s->h);
  return WEFT_OK;
}
/* [solver end] */

/* [residual] */
typedef struct residual {
  const solver* of;
  double mine, all;
  int rank;
} residual;

static int residual_request(void* context, weft_requests list) {
  residual* r = context;
  return weft_all_reduce(list, &r->mine, &r->all, 1, WEFT_DOUBLE, WEFT_MAX, 0, NULL);
}

static int residual_before(void* context, weft_step step) {
  residual* r = context;
  (void)step;
  r->mine = r->of->change;
  return WEFT_OK;
}

static int residual_after(void* context, weft_step step) {
  const residual* r = context;
  int64_t number; /* from 0 on; the reduced change is that of the step before */
  const int code = weft_step_number(step, &number, NULL);
  if (r->rank == 0 && number > 0) heat_print_change((int)number, r->all);
  return code;
}
/* [residual end] */

int main(int argc, char** argv) {
  int rank;
  solver s = {.h = heat_begin(argc, argv, &rank)};
  weft_comm world;
  weft_grid grid;
  weft_points block;
  weft_check(weft_comm_create(MPI_COMM_WORLD, &world));
  weft_check(weft_grid_create(world, 3, s.h.n, s.h.processes, NULL, &grid));
  weft_check(weft_grid_block(grid, rank, &block));
  memcpy(s.h.first, block.first, sizeof s.h.first);
  memcpy(s.h.count, block.count, sizeof s.h.count);
  heat_create(&s.h);

  const weft_halo_options faces = {.size = sizeof faces, .payload = WEFT_DIRECTIONS};
  const weft_field field = {
      .size = sizeof field, .data = s.h.now, .type = WEFT_DOUBLE, .reads = WEFT_READS_FACES, .moves = 1};
  weft_halo halo;
  weft_check(weft_halo_create(grid, &faces, &halo));
  weft_check(weft_halo_add(halo, &field, NULL));
  weft_check(weft_halo_interior(halo, &s.interior));
  weft_check(weft_halo_boundary(halo, &s.boxes, s.boundary));

  /* [manager] */
  residual r = {.of = &s, .rank = rank};
  const weft_client reduces = {.size = sizeof reduces,
                               .context = &r,
                               .request = residual_request,
                               .before = residual_before,
                               .after = residual_after};
  const weft_client solves = {.size = sizeof solves, .context = &s, .during = solver_during, .after = solver_after};
  weft_step_manager manager;
  weft_check(weft_step_manager_create(world, NULL, &manager));
  weft_check(weft_step_manager_add(manager, "residual", &reduces, 1, 0));
  weft_check(weft_step_manager_add_halo(manager, "heat", halo, &solves, 1, 0));
  /* [manager end] */

  const double start = MPI_Wtime();
  /* [steps] */
  for (int step = 0; step < s.h.steps; ++step) {
    weft_check(weft_step_manager_run_step(manager));
    weft_check(weft_step_manager_rebind_field(manager, "heat", 0, s.h.now));
  }
  /* [steps end] */
  const double seconds = MPI_Wtime() - start;
  double last; /* the change of the last step, which no step has reduced */
  MPI_Reduce(&s.change, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) heat_print_change(s.h.steps, last);

  weft_check(weft_step_manager_free(&manager));
  weft_check(weft_halo_free(&halo));
  weft_check(weft_grid_free(&grid));
  weft_check(weft_comm_free(&world));
  heat_end(&s.h, rank, seconds);
  return 0;
}
