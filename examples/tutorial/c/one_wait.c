/* SPDX-License-Identifier: BSD-3-Clause */
/* ../one_wait.cpp in C: the reduction shares the exchange of the rows, one step late, and each step waits once. */
#include "settings.h"
#include "tube.h"
#include "weft.h"

int main(int argc, char** argv) {
  int rank, ranks;
  const settings of = begin(argc, argv, MPI_THREAD_MULTIPLE, &rank, &ranks);
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  tube heat = tube_create(of.rows, of.columns, rank, ranks, 0.2);

  weft_comm world;
  weft_exchange exchange;
  weft_requests client;
  weft_part to_up, to_down, reduce;
  weft_check(weft_comm_create(MPI_COMM_WORLD, &world));
  const weft_progress_options progress_options = {.size = sizeof progress_options, .kind = of.progress};
  weft_exchange_options exchange_options = {.size = sizeof exchange_options};
  weft_check(weft_progress_create(world, &progress_options, &exchange_options.progress));
  weft_check(weft_exchange_create(world, &exchange_options, &exchange));
  weft_check(weft_progress_free(&exchange_options.progress));
  weft_check(weft_exchange_client(exchange, "heat", &client));
  weft_check(weft_send(client, up, 1, weft_contiguous(heat.top, of.columns, WEFT_DOUBLE), 0, &to_up));
  weft_check(weft_send(client, down, 2, weft_contiguous(heat.bottom, of.columns, WEFT_DOUBLE), 0, &to_down));
  weft_check(weft_receive(client, down, 1, weft_contiguous(heat.below, of.columns, WEFT_DOUBLE), 0, NULL));
  weft_check(weft_receive(client, up, 2, weft_contiguous(heat.above, of.columns, WEFT_DOUBLE), 0, NULL));
  double change = 0, largest = 0; /* local maximum of the previous step; global maximum */
  weft_check(weft_all_reduce(client, &change, &largest, 1, WEFT_DOUBLE, WEFT_MAX, 0, &reduce));
  weft_check(weft_exchange_commit(exchange));

  const double start = weft_seconds();
  for (int step = 1; step <= of.steps; ++step) {
    tube_copy_edges(&heat);
    weft_check(weft_exchange_start(exchange, 0));
    weft_check(weft_exchange_ready(exchange, to_up));
    weft_check(weft_exchange_ready(exchange, to_down));
    weft_check(weft_exchange_ready(exchange, reduce));
    double next_change = 0; /* the reduction reads `change`: don't write to it */
    const size_t last = heat.rows - 1;
    for (size_t i = 1; i < last; ++i) {
      next_change = larger(next_change, tube_update(&heat, i, i + 1));
      weft_check(weft_exchange_progress(exchange));
    }
    weft_check(weft_exchange_wait(exchange));
    next_change = larger(next_change, tube_update(&heat, 0, 1));
    change = larger(next_change, tube_update(&heat, last, last + 1));
    tube_finish_step(&heat);
    if (rank == 0 && step > 1 && (step - 1) % 100 == 0) print_change(step - 1, largest);
  }
  const double seconds = weft_seconds() - start;
  MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && of.steps % 100 == 0) print_change(of.steps, largest);

  print_end("heat", tube_fingerprint(&heat), rank);
  print_time(seconds, of.steps, rank);
  weft_check(weft_exchange_free(&exchange));
  weft_check(weft_comm_free(&world));
  tube_free(&heat);
  MPI_Finalize();
  return 0;
}
