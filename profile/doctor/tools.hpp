// SPDX-License-Identifier: BSD-3-Clause
// MPI's compilers and launchers in PATH, and the library of each.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "doctor/libraries.hpp"

namespace weft::doctor {

/// mpicc, and its output of -show; `timeout`: time-out in seconds.
struct Compiler {
  std::string path, command;                   ///< both empty if there is no mpicc in PATH
  std::vector<std::filesystem::path> folders;  ///< its library folders
  std::string library;                         ///< library that it links with: mpi, mpich or mpi_abi
  std::string trouble;                         ///< why -show failed
};
Compiler find_compiler(double timeout);

/// The library that programs built with this compiler use; null if it is not in `libraries`.
const Library* library_of(const Compiler& compiler, const std::vector<Library>& libraries);

/// mpirun or mpiexec.
struct Launcher {
  std::filesystem::path path;   ///< as found; empty if there is none
  std::filesystem::path real;   ///< without symbolic links
  std::string family, version;  ///< "Open MPI", "4.1.4"; Hydra belongs to MPICH and related libraries
  bool works = true;            ///< its --version succeeds
  std::string trouble;

  std::string title() const { return family.empty() ? "of an unknown library" : family + " " + version; }
};

/// Launchers; the version of each is read once.
class Launchers {
 public:
  /// `timeout`: time-out of each launcher in seconds.
  explicit Launchers(double timeout) : timeout_(timeout) {}

  /// The mpirun in PATH, or mpiexec if there is no mpirun.
  Launcher in_use();
  /// The launcher of a library: the one installed with it, or one in PATH of the same version.
  std::optional<Launcher> of(const Library& library);

  const Launcher& ask(const std::filesystem::path& path);

 private:
  double timeout_;
  std::vector<Launcher> known_;
};

/// Whether this launcher can start ranks of this library as one job.
bool can_start(const Launcher& launcher, const Library& library);

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
