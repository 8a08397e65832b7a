/* SPDX-License-Identifier: BSD-3-Clause */
/* The computation of all steps of docs/howto/from-c.md: heat that spreads from a hot ball in a block with a hot side.
 * No communication but that of the last line that is printed. */
#ifndef STENCIL_H
#define STENCIL_H

#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The points of this rank: [first, first + count) of a grid of n points, and one ghost point on each side. Ghost
 * points beyond the grid's edges keep their values. Compiled without contraction (-ffp-contract=off), results are
 * bitwise identical on any number of ranks. */
typedef struct heat {
  size_t n[3], first[3], count[3];
  int steps, processes[3]; /**< ranks along each axis */
  double *now, *next;      /**< row-major: the last axis is contiguous */
} heat;

/** The place of a point of the block in the arrays. */
static inline size_t heat_at(const heat* h, size_t x, size_t y, size_t z) {
  return ((x + 1) * (h->count[1] + 2) + y + 1) * (h->count[2] + 2) + z + 1;
}

/** Starts MPI, reads [N or XxYxZ [STEPS]] and sets the grid's size and how it is divided. */
static inline heat heat_begin(int argc, char** argv, int* rank) {
  heat h = {{64, 64, 64}, {0}, {0}, 100, {0}, NULL, NULL};
  int provided, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int numbers = argc > 1 ? sscanf(argv[1], "%4zux%4zux%4zu", &h.n[0], &h.n[1], &h.n[2]) : 3;
  if (numbers == 1) h.n[1] = h.n[2] = h.n[0];
  if (argc > 2) h.steps = atoi(argv[2]);
  MPI_Dims_create(ranks, 3, h.processes);
  int right = (numbers == 1 || numbers == 3) && h.steps >= 1;
  for (int axis = 0; axis < 3; ++axis) right = right && h.n[axis] >= (size_t)h.processes[axis];
  if (!right) {
    if (*rank == 0) fputs("error: usage: [N or XxYxZ [STEPS]], with a point per rank along each axis.\n", stderr);
    MPI_Finalize();
    exit(2);
  }
  return h;
}

/** Fills the arrays, when `first` and `count` are known. */
static inline void heat_create(heat* h) {
  const size_t points = (h->count[0] + 2) * (h->count[1] + 2) * (h->count[2] + 2);
  h->now = malloc(points * sizeof(double));
  h->next = malloc(points * sizeof(double));
  if (h->now == NULL || h->next == NULL) {
    fputs("error: there is no memory for this block.\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  size_t i = 0;
  for (size_t x = h->first[0]; x < h->first[0] + h->count[0] + 2; ++x)
    for (size_t y = h->first[1]; y < h->first[1] + h->count[1] + 2; ++y)
      for (size_t z = h->first[2]; z < h->first[2] + h->count[2] + 2; ++z, ++i) {
        const double dx = (double)x / (double)h->n[0] - 0.5, dy = (double)y / (double)h->n[1] - 0.5;
        const double dz = (double)z / (double)h->n[2] - 0.5;
        h->now[i] = h->next[i] = x == 0 || dx * dx + dy * dy + dz * dz < 0.1 ? 1 : 0;
      }
}

static inline double larger(double a, double b) { return a < b ? b : a; }

/** Computes the next values of a box of points, which are counted from the block's first one, and returns the largest
 *  change. */
static inline double heat_update(heat* h, const size_t first[3], const size_t count[3]) {
  const ptrdiff_t row = (ptrdiff_t)h->count[2] + 2, plane = row * ((ptrdiff_t)h->count[1] + 2);
  double largest = 0;
  for (size_t x = first[0]; x < first[0] + count[0]; ++x)
    for (size_t y = first[1]; y < first[1] + count[1]; ++y) {
      const double* u = h->now + heat_at(h, x, y, first[2]);
      double* next = h->next + heat_at(h, x, y, first[2]);
      for (ptrdiff_t z = 0; z < (ptrdiff_t)count[2]; ++z) {
        const double around = u[z - plane] + u[z + plane] + u[z - row] + u[z + row] + u[z - 1] + u[z + 1];
        const double change = 0.15 * (around - 6 * u[z]);
        next[z] = u[z] + change;
        largest = larger(largest, fabs(change));
      }
    }
  return largest;
}

/** The next values become the present ones. */
static inline void heat_swap(heat* h) {
  double* now = h->now;
  h->now = h->next;
  h->next = now;
}

static inline void heat_print_change(int step, double largest) {
  if (step % 50 == 0) printf("step %d: largest change %.9e\n", step, largest);
}

/** Prints a checksum over the bits of all points, and the time. Frees the arrays and ends MPI. */
static inline void heat_end(heat* h, int rank, double seconds) {
  uint64_t sum = 0, all = 0, bits;
  for (size_t x = 0; x < h->count[0]; ++x)
    for (size_t y = 0; y < h->count[1]; ++y)
      for (size_t z = 0; z < h->count[2]; ++z) {
        const size_t number = ((h->first[0] + x) * h->n[1] + h->first[1] + y) * h->n[2] + h->first[2] + z;
        memcpy(&bits, h->now + heat_at(h, x, y, z), sizeof bits);
        sum += bits * (2 * number + 1);
      }
  MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("heat: %016" PRIx64 "\n%.3f ms per step\n", all, 1e3 * seconds / h->steps);
  free(h->now);
  free(h->next);
  MPI_Finalize();
}

#endif
