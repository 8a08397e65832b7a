/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.hpp in C: the arguments of the stages and the lines that they print. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  size_t rows, columns; /**< cells around and along the tube */
  int steps;
  int progress;      /**< an index of progress_names, which is also a weft_progress_kind */
  int separate;      /**< each module communicates and waits by itself */
  const char* trace; /**< a file; NULL: no trace */
} settings;

static const char* const progress_names[] = {"polling", "passive", "thread", "send_receive_threads"};

/** A number from 1 to `most` at the begin of *text, which is moved behind it; 0 if there is none. */
static inline size_t read_number(const char** text, size_t most) {
  char* end;
  const long long value = strtoll(*text, &end, 10);
  *text = end;
  return value < 1 || (unsigned long long)value > most ? 0 : (size_t)value;
}

/** Reads [N or ROWSxCOLUMNS [STEPS [PROGRESS [aggregated|separate [TRACE]]]]]; N is NxN. If they are wrong, prints the
 *  usage on rank 0 and returns 0. */
static inline int read_settings(int argc, char** argv, int rank, int ranks, settings* to) {
  const char *size = argc > 1 ? argv[1] : "512", *steps = argc > 2 ? argv[2] : "300";
  const char *progress = argc > 3 ? argv[3] : "polling", *clients = argc > 4 ? argv[4] : "aggregated";
  to->rows = to->columns = read_number(&size, 1 << 20);
  if (*size == 'x') ++size, to->columns = read_number(&size, 1 << 20);
  to->steps = (int)read_number(&steps, 1000000000);
  for (to->progress = 0; to->progress < 4; ++to->progress)
    if (strcmp(progress, progress_names[to->progress]) == 0) break;
  to->separate = strcmp(clients, "separate") == 0;
  to->trace = argc > 5 ? argv[5] : NULL;
  const int right = argc <= 6 && *size == 0 && *steps == 0 && to->rows >= 3 && to->columns >= 3 &&
                    to->rows >= (size_t)ranks && to->rows * to->columns <= 1 << 30 && to->steps >= 1 &&
                    to->progress < 4 && (to->separate || strcmp(clients, "aggregated") == 0);
  if (!right && rank == 0)
    fprintf(stderr,
            "error: usage: [N or ROWSxCOLUMNS [STEPS [PROGRESS [aggregated|separate [TRACE]]]]], with at least 3 rows "
            "and columns, one row per rank, at most 2^30 cells, and PROGRESS one of passive, polling, thread, "
            "send_receive_threads.\n");
  return right;
}

/** MPI_Init_thread and the settings. Ends the program if they are wrong. `threads`: as MPI_Init_thread wants it. */
static inline settings begin(int argc, char** argv, int threads, int* rank, int* ranks) {
  int provided;
  MPI_Init_thread(&argc, &argv, threads, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, ranks);
  settings all;
  if (!read_settings(argc, argv, *rank, *ranks, &all)) {
    MPI_Finalize();
    exit(2);
  }
  return all;
}

static inline void print_change(int step, double largest) { printf("step %d: largest change %.9e\n", step, largest); }

/** Prints the checksum of all ranks. */
static inline void print_end(const char* name, uint64_t mine, int rank) {
  uint64_t all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %016" PRIx64 "\n", name, all);
}

static inline void print_time(double seconds, int steps, int rank) {
  if (rank == 0) printf("%.3f ms per step\n", 1e3 * seconds / steps);
}

#endif
