// SPDX-License-Identifier: BSD-3-Clause
// Which MPI library a program would be loaded with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::doctor {

struct Program {
  std::string path;  ///< empty: none was given
  struct Needed {
    std::string name;            ///< libmpi.so.40
    std::filesystem::path path;  ///< without symbolic links; empty: the loader does not find it
  };
  std::vector<Needed> mpi;  ///< the MPI libraries among those that the loader would load
};

/// Asks the program's own loader, which starts nothing. Throws InputError if it is no program that a loader loads.
Program look_at(const std::string& program);

}  // namespace weft::doctor
