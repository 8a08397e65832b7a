/* SPDX-License-Identifier: BSD-3-Clause */
/* An error of the library, and an exchange. */
#include <stdio.h>
#include <weft.h>

int main(int argc, char** argv) {
  int rank, size, from_left = -1;
  weft_comm world;
  weft_exchange exchange = NULL;
  weft_requests ring;
  MPI_Init(&argc, &argv);
  weft_check(weft_comm_create(MPI_COMM_WORLD, &world));
  weft_check(weft_comm_rank(world, &rank, &size));
  if (weft_exchange_commit(exchange) != WEFT_ERR_HANDLE) return 1;
  printf("weft %s: %s\n", weft_version(), weft_error_text());
  weft_check(weft_exchange_create(world, NULL, &exchange));
  weft_check(weft_exchange_client(exchange, "ring", &ring));
  weft_check(weft_send(ring, (rank + 1) % size, 1, weft_contiguous(&rank, 1, WEFT_INT), 0, NULL));
  weft_check(weft_receive(ring, (rank + size - 1) % size, 1, weft_contiguous(&from_left, 1, WEFT_INT), 0, NULL));
  weft_check(weft_exchange_commit(exchange));
  weft_check(weft_exchange_start(exchange, 0));
  weft_check(weft_exchange_ready_all(exchange, ring, 0));
  weft_check(weft_exchange_wait(exchange));
  weft_check(weft_exchange_free(&exchange));
  weft_check(weft_comm_free(&world));
  MPI_Finalize();
  return from_left == (rank + size - 1) % size ? 0 : 1;
}
