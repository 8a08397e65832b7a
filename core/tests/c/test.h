/* SPDX-License-Identifier: BSD-3-Clause */
/* A test program in C: its functions check, and main() ends the job with status 1 at the first that fails. */
#ifndef WEFT_C_TEST_H
#define WEFT_C_TEST_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weft.h"

static int rank, ranks;
static weft_comm world;

static inline void failed(const char* file, int line, const char* what, const char* text) {
  fprintf(stderr, "%s:%d: rank %d: %s%s%s\n", file, line, rank, what, *text != 0 ? ": " : "", text);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(condition) ((condition) ? (void)0 : failed(__FILE__, __LINE__, #condition, ""))
#define OK(call) ((call) == WEFT_OK ? (void)0 : failed(__FILE__, __LINE__, #call, weft_error_text()))

/* The call fails with this code, and its sentence contains the text. */
static inline void refused(const char* file, int line, const char* call, int is, int code, const char* text) {
  if (is == code && strstr(weft_error_text(), text) != NULL) return;
  fprintf(stderr, "%s:%d: %s has returned %d instead of %d\n", file, line, call, is, code);
  failed(file, line, text, is == WEFT_OK ? "no error" : weft_error_text());
}
#define REFUSED(code, text, call) refused(__FILE__, __LINE__, #call, call, code, text)

static inline void begin(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  OK(weft_set_timeout(100));
  OK(weft_comm_create(MPI_COMM_WORLD, &world));
}
static inline void end(void) {
  OK(weft_comm_free(&world));
  MPI_Finalize();
  if (rank == 0) puts("passed");
}

#endif
