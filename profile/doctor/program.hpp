// SPDX-License-Identifier: BSD-3-Clause
// The MPI library that a program would load.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::doctor {

struct Program {
  std::string path;  ///< empty: none was given
  struct Needed {
    std::string name;            ///< libmpi.so.40
    std::filesystem::path path;  ///< without symbolic links; empty if the loader does not find it
  };
  std::vector<Needed> mpi;  ///< the MPI libraries that the loader would load
};

/// Runs the program's loader, without starting the program. Throws an InputError if it is not a program that can be
/// loaded.
Program look_at(const std::string& program);

}  // namespace weft::doctor
