/* SPDX-License-Identifier: BSD-3-Clause */
/* ../modules.cpp in C: heat, moisture, and a reduction for the largest change of each, as three clients of a step
 * manager. It prints the overlap. */
#include "settings.h"
#include "tube.h"
#include "weft.h"

typedef struct spreading {
  int up, down;
  tube wall;
  double change, next_change; /**< `change`: the maximum of my rows in the previous step */
} spreading;

static spreading spreading_create(const settings* of, int rank, int ranks, double spread) {
  spreading my = {(rank + ranks - 1) % ranks, (rank + 1) % ranks,
                  tube_create(of->rows, of->columns, rank, ranks, spread), 0, 0};
  return my;
}

static int spreading_request(void* context, weft_requests mine) {
  const spreading* my = context;
  const tube* wall = &my->wall;
  weft_check(weft_send(mine, my->up, 1, weft_contiguous(wall->top, wall->m, WEFT_DOUBLE), 0, NULL));
  weft_check(weft_send(mine, my->down, 2, weft_contiguous(wall->bottom, wall->m, WEFT_DOUBLE), 0, NULL));
  weft_check(weft_receive(mine, my->down, 1, weft_contiguous(wall->below, wall->m, WEFT_DOUBLE), 0, NULL));
  weft_check(weft_receive(mine, my->up, 2, weft_contiguous(wall->above, wall->m, WEFT_DOUBLE), 0, NULL));
  return WEFT_OK;
}

static int spreading_before(void* context, weft_step step) { /* when it returns, my parts are ready */
  (void)step;
  tube_copy_edges(&((spreading*)context)->wall);
  return WEFT_OK;
}

static int spreading_during(void* context, weft_step step) {
  spreading* my = context;
  my->next_change = 0;
  for (size_t i = 1; i + 1 < my->wall.rows; ++i) {
    my->next_change = larger(my->next_change, tube_update(&my->wall, i, i + 1));
    weft_check(weft_step_progress(step));
  }
  return WEFT_OK;
}

static int spreading_after(void* context, weft_step step) {
  spreading* my = context;
  const size_t last = my->wall.rows - 1;
  (void)step;
  my->change = larger(my->next_change, tube_update(&my->wall, 0, 1));
  my->change = larger(my->change, tube_update(&my->wall, last, last + 1));
  tube_finish_step(&my->wall);
  return WEFT_OK;
}

typedef struct largest {
  const spreading* modules[2];
  double mine[2], all[2];
  int tells;
} largest;

static int largest_request(void* context, weft_requests mine) {
  largest* my = context;
  return weft_all_reduce(mine, my->mine, my->all, 2, WEFT_DOUBLE, WEFT_MAX, 0, NULL);
}

static int largest_before(void* context, weft_step step) {
  largest* my = context;
  (void)step;
  for (int k = 0; k < 2; ++k) my->mine[k] = my->modules[k]->change;
  return WEFT_OK;
}

static int largest_after(void* context, weft_step step) {
  const largest* my = context;
  int64_t number;
  weft_check(weft_step_number(step, &number, NULL));
  if (my->tells && number > 0 && number % 100 == 0) print_change((int)number, my->all[0]);
  return WEFT_OK;
}

int main(int argc, char** argv) {
  int rank, ranks;
  const settings of = begin(argc, argv, MPI_THREAD_MULTIPLE, &rank, &ranks);
  weft_comm world;
  weft_check(weft_comm_create(MPI_COMM_WORLD, &world));
  spreading heat = spreading_create(&of, rank, ranks, 0.2), moisture = spreading_create(&of, rank, ranks, 0.1);
  largest both = {{&heat, &moisture}, {0, 0}, {0, 0}, rank == 0};

  weft_timeline timeline;
  weft_step_manager manager;
  weft_check(weft_timeline_create(of.trace != NULL, &timeline));
  const weft_step_options options = {.size = sizeof options,
                                     .progress = {.size = sizeof options.progress, .kind = of.progress},
                                     .timeline = timeline,
                                     .separate = of.separate};
  weft_check(weft_step_manager_create(world, &options, &manager));

  const weft_client reduces = {.size = sizeof reduces,
                               .context = &both,
                               .request = largest_request,
                               .before = largest_before,
                               .after = largest_after};
  weft_client spreads = {.size = sizeof spreads,
                         .context = &heat,
                         .request = spreading_request,
                         .before = spreading_before,
                         .during = spreading_during,
                         .after = spreading_after};
  /* `both` comes first, so that it reads the changes of the previous step also with `separate`. */
  weft_check(weft_step_manager_add(manager, "largest", &reduces, 1, 0));
  weft_check(weft_step_manager_add(manager, "heat", &spreads, 1, 0));
  spreads.context = &moisture;
  weft_check(weft_step_manager_add(manager, "moisture", &spreads, 1, 0));

  const double start = weft_seconds();
  for (int step = 0; step < of.steps; ++step) weft_check(weft_step_manager_run_step(manager));
  const double seconds = weft_seconds() - start;

  double last = 0;
  MPI_Reduce(&heat.change, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0 && of.steps % 100 == 0) print_change(of.steps, last);
  print_end("heat", tube_fingerprint(&heat.wall), rank);
  print_end("moisture", tube_fingerprint(&moisture.wall), rank);
  print_time(seconds, of.steps, rank);
  const char* const clients[] = {"heat", "moisture", "largest"};
  const char* text;
  weft_overlap_report report;
  weft_check(weft_overlap_report_create(world, manager, timeline, 3, clients, 20, &report));
  if (of.trace != NULL) weft_check(weft_timeline_write_trace(timeline, world, of.trace));
  weft_check(weft_overlap_report_text(report, &text));
  if (rank == 0) fputs(text, stdout);
  weft_check(weft_overlap_report_free(&report));
  weft_check(weft_step_manager_free(&manager));
  weft_check(weft_timeline_free(&timeline));
  weft_check(weft_comm_free(&world));
  tube_free(&heat.wall);
  tube_free(&moisture.wall);
  MPI_Finalize();
  return 0;
}
