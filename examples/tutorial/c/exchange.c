/* SPDX-License-Identifier: BSD-3-Clause */
/* ../exchange.cpp in C: the same messages by an exchange. It still waits twice per step. */
#include "settings.h"
#include "tube.h"
#include "weft.h"

int main(int argc, char** argv) {
  int rank, ranks;
  const settings of = begin(argc, argv, MPI_THREAD_FUNNELED, &rank, &ranks);
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  tube heat = tube_create(of.rows, of.columns, rank, ranks, 0.2);

  weft_comm world;
  weft_exchange exchange;
  weft_requests client;
  weft_part to_up, to_down;
  weft_check(weft_comm_create(MPI_COMM_WORLD, &world));
  weft_check(weft_exchange_create(world, NULL, &exchange));
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
    weft_check(weft_exchange_wait(exchange));

    const double change = tube_update(&heat, 0, heat.rows);
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
