// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/shared/report.hpp"

namespace weft::bench {

struct ForeignOptions : Options {
  std::string launcher;                ///< starts an MPI program; empty: mpirun -n 2 of weft's own MPI library
  std::vector<std::string> names;      ///< of subjects(); none: all (quick: without pingpong)
  std::vector<std::string> program{};  ///< measured in their place
  int turns = 0;                       ///< runs of each kind; 0: 5, quick 1
  double seconds = 0;                  ///< of a plain run of a subject, about; 0: 10, quick 2
};

/// What libweft_advise costs programs that know nothing of weft, and what its helper thread gains them: each runs
/// plain, watched, and watched with the helper, in turns. Ratios are of the subjects' steps, and of the whole process,
/// from its launch to its end, where it is another program. Not an MPI program itself. Throws InputError if the
/// launcher or the program can't be run, Error if a run fails or if what a subject computes differs.
void foreign(const ForeignOptions& options);

}  // namespace weft::bench
