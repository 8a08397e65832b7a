/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/howto/from-c.md, step 0: plain MPI. It waits twice per step. */
#include "stencil.h"

/** The outermost points of the block on one side of an axis, or the ghost points beside them. */
static MPI_Datatype face(const heat* h, int axis, int side, int is_ghost) {
  int extent[3], count[3], first[3];
  for (int a = 0; a < 3; ++a) {
    extent[a] = (int)h->count[a] + 2;
    count[a] = a == axis ? 1 : (int)h->count[a];
    first[a] = 1;
  }
  first[axis] = side == 0 ? !is_ghost : (int)h->count[axis] + is_ghost;
  MPI_Datatype type;
  MPI_Type_create_subarray(3, extent, count, first, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

int main(int argc, char** argv) {
  int rank;
  heat h = heat_begin(argc, argv, &rank);
  const int periodic[3] = {0, 0, 0};
  int position[3], peer[6];
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 3, h.processes, periodic, 0, &comm);
  MPI_Cart_coords(comm, rank, 3, position);
  for (int a = 0; a < 3; ++a) {
    const size_t p = (size_t)h.processes[a], i = (size_t)position[a];
    h.first[a] = i * h.n[a] / p;
    h.count[a] = (i + 1) * h.n[a] / p - h.first[a];
    MPI_Cart_shift(comm, a, 1, &peer[2 * a], &peer[2 * a + 1]);
  }
  heat_create(&h);
  MPI_Datatype edge[6], ghosts[6];
  for (int f = 0; f < 6; ++f) {
    edge[f] = face(&h, f / 2, f % 2, 0);
    ghosts[f] = face(&h, f / 2, f % 2, 1);
  }

  const size_t origin[3] = {0, 0, 0};
  const double start = MPI_Wtime();
  for (int step = 1; step <= h.steps; ++step) {
    /* [step] */
    MPI_Request requests[12];
    for (int f = 0; f < 6; ++f) { /* the face f of this block touches the face f ^ 1 of the neighbour */
      MPI_Irecv(h.now, 1, ghosts[f], peer[f], f ^ 1, comm, &requests[f]);
      MPI_Isend(h.now, 1, edge[f], peer[f], f, comm, &requests[6 + f]);
    }
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);

    const double change = heat_update(&h, origin, h.count);
    heat_swap(&h);

    double largest;
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (rank == 0) heat_print_change(step, largest);
    /* [step end] */
  }
  const double seconds = MPI_Wtime() - start;

  for (int f = 0; f < 6; ++f) {
    MPI_Type_free(&edge[f]);
    MPI_Type_free(&ghosts[f]);
  }
  MPI_Comm_free(&comm);
  heat_end(&h, rank, seconds);
  return 0;
}
