// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace weft::bench {

/// Programs in plain MPI for `weft bench foreign`, which know nothing of weft; a run of one is a process of its own.
/// Ranks work in pairs. Each prints what a program reads, a line each: `mpi`, `ranks`, `nodes`, then `sum` (which no
/// run may change) and `seconds` of its steps.
///
///   compute UNITS           no messages: what UNITS of computation take
///   exchange STEPS UNITS    receives and sends 1 MiB, computes UNITS, waits
///   jacobi STEPS            four fields of 512^2 points on all ranks: 16 messages behind the inner points, an
///   all-reduce pingpong STEPS          8 bytes there and back, and nothing else: what no tool should be measured by
///   alone
const std::vector<std::string>& subjects();

/// Runs one, from MPI_Init to MPI_Finalize, and returns the exit status. `words`: its name and its numbers.
int run_subject(const std::vector<std::string>& words);

}  // namespace weft::bench
