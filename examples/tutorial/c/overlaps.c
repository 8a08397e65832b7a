/* SPDX-License-Identifier: BSD-3-Clause */
/* ../overlaps.cpp in C: rows that need nothing from other ranks are computed between ready and wait. */
#include "settings.h"
#include "tube.h"
#include "weft.h"

int main(int argc, char** argv) {
  int rank, ranks;
  const settings of = begin(argc, argv, MPI_THREAD_MULTIPLE, &rank, &ranks); /* WEFT_THREAD needs it */
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  tube heat = tube_create(of.rows, of.columns, rank, ranks, 0.2);

  weft_comm world;
  weft_exchange exchange;
  weft_requests client;
  weft_part to_up, to_down;
  weft_check(weft_comm_create(MPI_COMM_WORLD, &world));
  /* WEFT_POLLING, WEFT_PASSIVE, WEFT_THREAD, ... */
  const weft_progress_options progress_options = {.size = sizeof progress_options, .kind = of.progress};
  weft_exchange_options exchange_options = {.size = sizeof exchange_options};
  weft_check(weft_progress_create(world, &progress_options, &exchange_options.progress));
  weft_check(weft_exchange_create(world, &exchange_options, &exchange));
  weft_check(weft_progress_free(&exchange_options.progress)); /* the exchange keeps it */
  weft_check(weft_exchange_client(exchange, "heat", &client));
  weft_check(weft_send(client, up, 1, weft_contiguous(heat.top, of.columns, WEFT_DOUBLE), 0, &to_up));
  weft_check(weft_send(client, down, 2, weft_contiguous(heat.bottom, of.columns, WEFT_DOUBLE), 0, &to_down));
  weft_check(weft_receive(client, down, 1, weft_contiguous(heat.below, of.columns, WEFT_DOUBLE), 0, NULL));
  weft_check(weft_receive(client, up, 2, weft_contiguous(heat.above, of.columns, WEFT_DOUBLE), 0, NULL));
  weft_check(weft_exchange_commit(exchange));

  const double start = weft_seconds();
  for (int step = 1; step <= of.steps; ++step) {
    tube_copy_edges(&heat);
    weft_check(weft_exchange_start(exchange, 0));
    weft_check(weft_exchange_ready(exchange, to_up));
    weft_check(weft_exchange_ready(exchange, to_down));
    double change = 0;
    const size_t last = heat.rows - 1;
    for (size_t i = 1; i < last; ++i) { /* these rows need nothing from other ranks */
      change = larger(change, tube_update(&heat, i, i + 1));
      weft_check(weft_exchange_progress(exchange));
    }
    weft_check(weft_exchange_wait(exchange));
    change = larger(change, tube_update(&heat, 0, 1));
    change = larger(change, tube_update(&heat, last, last + 1));
    tube_finish_step(&heat);
    double largest = 0;
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && step % 100 == 0) print_change(step, largest);
  }
  const double seconds = weft_seconds() - start;

  print_end("heat", tube_fingerprint(&heat), rank);
  print_time(seconds, of.steps, rank);
  weft_check(weft_exchange_free(&exchange));
  weft_check(weft_comm_free(&world));
  tube_free(&heat);
  MPI_Finalize();
  return 0;
}
