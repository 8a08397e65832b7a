/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/howto/from-c.md, step 1: weft fills the ghost points while the interior is computed. */
#include "stencil.h"
#include "weft.h"

int main(int argc, char** argv) {
  int rank;
  heat h = heat_begin(argc, argv, &rank);
  /* [halo] */
  weft_comm world;
  weft_grid grid;
  weft_points block, interior, boundary[6];
  weft_check(weft_comm_create(MPI_COMM_WORLD, &world));
  weft_check(weft_grid_create(world, 3, h.n, h.processes, NULL, &grid));
  weft_check(weft_grid_block(grid, rank, &block));
  memcpy(h.first, block.first, sizeof h.first);
  memcpy(h.count, block.count, sizeof h.count);
  heat_create(&h);

  const weft_halo_options faces = {.size = sizeof faces, .payload = WEFT_DIRECTIONS}; /* 6 neighbours, not 26 */
  const weft_field field = {
      .size = sizeof field, .data = h.now, .type = WEFT_DOUBLE, .reads = WEFT_READS_FACES, .moves = 1};
  weft_halo halo;
  weft_halo_exchange exchange;
  int boxes;
  weft_check(weft_halo_create(grid, &faces, &halo));
  weft_check(weft_halo_add(halo, &field, NULL));
  weft_check(weft_halo_interior(halo, &interior));
  weft_check(weft_halo_boundary(halo, &boxes, boundary));
  weft_check(weft_halo_exchange_create(world, halo, NULL, &exchange));
  /* [halo end] */

  const double start = MPI_Wtime();
  for (int step = 1; step <= h.steps; ++step) {
    /* [step] */
    weft_check(weft_halo_exchange_start(exchange, 0));
    double change = 0;
    weft_points plane = interior; /* needs no ghost point */
    plane.count[0] = 1;
    for (size_t x = 0; x < interior.count[0]; ++x, ++plane.first[0]) {
      change = larger(change, heat_update(&h, plane.first, plane.count));
      weft_check(weft_halo_exchange_progress(exchange));
    }
    weft_check(weft_halo_exchange_finish(exchange));
    for (int b = 0; b < boxes; ++b) change = larger(change, heat_update(&h, boundary[b].first, boundary[b].count));
    heat_swap(&h);
    weft_check(weft_halo_exchange_rebind(exchange, 0, h.now));

    double largest;
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) heat_print_change(step, largest);
    /* [step end] */
  }
  const double seconds = MPI_Wtime() - start;

  weft_check(weft_halo_exchange_free(&exchange));
  weft_check(weft_halo_free(&halo));
  weft_check(weft_grid_free(&grid));
  weft_check(weft_comm_free(&world));
  heat_end(&h, rank, seconds);
  return 0;
}
