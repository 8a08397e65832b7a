// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace weft::bench {

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
