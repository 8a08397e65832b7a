// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weft::run {

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

/// What starts the ranks.
enum class Launcher {
  none,      ///< the program itself: one rank
  open_mpi,  ///< mpirun of Open MPI 4, prterun of 5
  hydra,     ///< mpiexec of MPICH and of Intel MPI
  slurm,     ///< srun
};

/// Which one that command is, by what it says for --version. Only what is called like a launcher is asked.
Launcher launcher_of(const std::string& command);

/// The command with what its launcher needs to give its ranks these variables, on all nodes. Where there is no launcher
/// it is unchanged, and the variables have to be set before it is run.
Words with_variables(Launcher launcher, Words words, const Variables& variables);

}  // namespace weft::run
