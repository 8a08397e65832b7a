// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/shared/report.hpp"

namespace weft::bench {

struct ForeignOptions : Options {
  std::string launcher;            ///< command that starts an MPI program; empty: mpirun -n 2 of weft's own MPI library
  std::vector<std::string> names;  ///< of subjects(); empty: all (quick: without pingpong)
  std::vector<std::string> program{};  ///< another program to measure instead
  int repeats = 0;                     ///< runs of each kind; 0: 5, quick 1
  double seconds = 0;                  ///< approximate duration of a plain run of a subject; 0: 10, quick 2
};

/// The cost of libweft_advise for programs without weft, and the gain of its progress thread: each program runs plain,
/// with the library (watched), and with its progress thread (driven), interleaved. Ratios are of the subjects' steps,
/// or for another program of the whole process from start to end. Not an MPI program itself. Throws an InputError if
/// the launcher or the program can't be run, an Error if a run fails or if a subject's result differs.
void foreign(const ForeignOptions& options);

/// Plain MPI programs for `weft bench foreign`, without weft; each run is a process of its own. Ranks work in pairs.
/// Each prints lines for the benchmark: `mpi`, `ranks`, `nodes`, `sum` (the same in all runs) and `seconds` of its
/// steps.
///
///   compute UNITS           no messages: the duration of UNITS of computation
///   exchange STEPS UNITS    receives and sends 1 MiB, computes UNITS, waits
///   jacobi STEPS            four fields of 512^2 points: 16 messages overlapped with the inner points, one all-reduce
///   pingpong STEPS          8 bytes there and back, without computation: the worst case for any tool
const std::vector<std::string>& subjects();

/// Runs a program, from MPI_Init to MPI_Finalize, and returns the exit status. `words`: its name and numbers.
int run_subject(const std::vector<std::string>& words);

}  // namespace weft::bench
