/* SPDX-License-Identifier: BSD-3-Clause */
/* tube.hpp in C: the computation of all stages. No communication. */
#ifndef TUBE_H
#define TUBE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One quantity on n rows of m cells. Rows run along the tube, and the last row lies beside the first; both ends of a
 *  row keep their values. Rank r of R owns the rows [r n / R, (r + 1) n / R). Compiled without contraction
 *  (-ffp-contract=off), results are bitwise those of C++ on any number of ranks. */
typedef struct tube {
  size_t m, first, rows;
  double spread; /**< in each step a cell changes by so much of its neighbours' differences to it: at most 0.25 */
  double *now, *next;
  double *top, *bottom;  /**< rows to send */
  double *above, *below; /**< rows received */
} tube;

static inline tube tube_create(size_t n, size_t m, int rank, int ranks, double spread) {
  tube t;
  t.m = m;
  t.first = n * (size_t)rank / (size_t)ranks;
  t.rows = n * (size_t)(rank + 1) / (size_t)ranks - t.first;
  t.spread = spread;
  t.now = malloc((2 * t.rows + 4) * m * sizeof(double)); /* one block for all arrays */
  if (t.now == NULL) {
    fprintf(stderr, "error: there is no memory for %zu rows of %zu cells.\n", t.rows, m);
    exit(1);
  }
  t.next = t.now + t.rows * m;
  t.top = t.next + t.rows * m;
  t.bottom = t.top + m;
  t.above = t.bottom + m;
  t.below = t.above + m;
  for (size_t i = 0; i < t.rows; ++i)
    for (size_t j = 0; j < m; ++j) t.now[i * m + j] = (double)(((t.first + i) * 31 + j * 17) % 101) / 101;
  memcpy(t.next, t.now, t.rows * m * sizeof(double));
  return t;
}

static inline void tube_free(tube* t) { free(t->now < t->next ? t->now : t->next); /* a step swaps them */ }

/** Copies the rows that the neighbours need into `top` and `bottom`. */
static inline void tube_copy_edges(tube* t) {
  memcpy(t->top, t->now, t->m * sizeof(double));
  memcpy(t->bottom, t->now + (t->rows - 1) * t->m, t->m * sizeof(double));
}

/** Computes the next values of the rows [first, last) and returns the largest change. Row 0 reads `above`, the last row
 *  `below`. */
static inline double tube_update(tube* t, size_t first, size_t last) {
  double largest = 0;
  const size_t m = t->m;
  for (size_t i = first; i < last; ++i) {
    const double* here = t->now + i * m;
    const double* up = i == 0 ? t->above : here - m;
    const double* down = i + 1 == t->rows ? t->below : here + m;
    for (size_t j = 1; j + 1 < m; ++j) {
      const double change = t->spread * (up[j] + down[j] + here[j - 1] + here[j + 1] - 4 * here[j]);
      t->next[i * m + j] = here[j] + change;
      if (fabs(change) > largest) largest = fabs(change);
    }
  }
  return largest;
}

/** All rows have been updated: the next values become the present ones. */
static inline void tube_finish_step(tube* t) {
  double* now = t->now;
  t->now = t->next;
  t->next = now;
}

/** A checksum over the bits of my cells, to be summed over all ranks. */
static inline uint64_t tube_fingerprint(const tube* t) {
  uint64_t sum = 0;
  for (size_t i = 0; i < t->rows * t->m; ++i) {
    uint64_t bits;
    memcpy(&bits, &t->now[i], sizeof bits);
    sum += bits * (2 * (t->first * t->m + i) + 1);
  }
  return sum;
}

static inline double larger(double a, double b) { return a < b ? b : a; }

#endif
