/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The workloads of `weft bench languages`, written once in each language: languages_cpp.cpp, languages_c.c and
 * languages_f.f90 define the same functions. An error ends the job, as in a program that does not handle errors.
 */
#ifndef WEFT_BENCH_WORKLOADS_H
#define WEFT_BENCH_WORKLOADS_H

#ifdef __cplusplus
extern "C" {
#endif

/* make(): objects over all ranks of MPI_COMM_WORLD, in a ring: a halo exchange of a scalar field of points^3 on each
 * rank, in column-major order, as Fortran's arrays are, in the memory at `field`, which all languages share: its place
 * matters more than the language; and a step manager with one client of `step_parts` parts of
 * WEFT_BENCH_NUMBERS numbers, half of them sends to the right, half receives from the left. free() frees all.
 * halo(): one exchange. Returns the ghost point below the block's first one.
 * step(): one step. Its client marks each send ready, calls for progress once, and sums what it has received: that is
 * returned.
 * commit(): makes an exchange of `commit_parts` parts of one number in a space that exists, lists them, commits, and
 * frees the exchange. */
#define WEFT_BENCH_LANGUAGE(language)                                                            \
  void* weft_bench_make_##language(double* field, int points, int step_parts, int commit_parts); \
  double weft_bench_halo_##language(void* workloads);                                            \
  double weft_bench_step_##language(void* workloads);                                            \
  void weft_bench_commit_##language(void* workloads);                                            \
  void weft_bench_free_##language(void* workloads);

enum { WEFT_BENCH_NUMBERS = 8 };

WEFT_BENCH_LANGUAGE(cpp)
WEFT_BENCH_LANGUAGE(c)
WEFT_BENCH_LANGUAGE(f)

#ifdef __cplusplus
}
#endif
#endif
