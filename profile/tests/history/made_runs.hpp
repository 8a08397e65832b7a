// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include "run/past_run.hpp"

namespace weft::history {

// Run number `i`, an hour after the one before. An overlap below 0 is unknown.
inline run::PastRun made_run(int i, double overlap) {
  run::PastRun run{.file = {},
                   .time = fmt::format("20{:02}-{:02}-{:02}T{:02}:00:00.000Z", 26 + i / 8064 % 70, 1 + i / 672 % 12,
                                       1 + i / 24 % 28, i % 24),
                   .commit = {fmt::format("{:08x}{:032}", 0x51a7b2b9 + i, 0), "main", false},
                   .processor = "Xeon",
                   .library = "Open MPI v4.1.4",
                   .cores = 8,
                   .ranks = 2,
                   .command = {"mpirun", "-n", "2", "/home/jo/jacobi"},
                   .program = "/home/jo/jacobi",
                   .unknown = overlap < 0 ? "3 steps were found, but 20 are needed" : "",
                   .regions = {{run::whole_program, 0.01, {}, {}}}};
  if (overlap >= 0) {
    run.regions[0].overlap = overlap;
    run.regions[0].interval = {overlap - 0.02, overlap + 0.02};
  }
  return run;
}

}  // namespace weft::history
