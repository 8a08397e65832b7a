// SPDX-License-Identifier: BSD-3-Clause
// What of MPI is in PATH: compilers and launchers, and which library each belongs to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "doctor/libraries.hpp"

namespace weft::doctor {

/// The first of PATH's programs of this name.
std::optional<std::string> in_path(const std::string& name);

/// mpicc: asked for the line by which it links, for at most `patience` seconds.
struct Compiler {
  std::string path, command;                   ///< both empty: there is none in PATH
  std::vector<std::filesystem::path> folders;  ///< in which it looks for libraries
  std::string library;                         ///< mpi, mpich or mpi_abi: what it links with
  std::string trouble;                         ///< why it could not be asked
};
Compiler find_compiler(double patience);

/// The library that programs of this compiler get; null: it is not among them.
const Library* library_of(const Compiler& compiler, const std::vector<Library>& libraries);

/// mpirun or mpiexec.
struct Launcher {
  std::filesystem::path path;   ///< as it is called; empty: there is none
  std::filesystem::path real;   ///< without symbolic links
  std::string family, version;  ///< "Open MPI" "4.1.4"; Hydra is MPICH's, and its relatives' too
  bool works = true;            ///< it ends, and well, when it is asked for its version
  std::string trouble;

  std::string title() const { return family.empty() ? "of an unknown library" : family + " " + version; }
};

/// Launchers, each asked once for its version.
class Launchers {
 public:
  /// Each may take so many seconds.
  explicit Launchers(double patience) : patience_(patience) {}

  /// The one that a user gets who writes mpirun, or mpiexec where there is no mpirun.
  Launcher in_use();
  /// The library's own: one that is installed with it, or one in PATH of the same version.
  std::optional<Launcher> of(const Library& library);

  const Launcher& ask(const std::filesystem::path& path);

 private:
  double patience_;
  std::vector<Launcher> known_;
};

/// Whether ranks with this library find each other if this launcher starts them.
bool can_start(const Launcher& launcher, const Library& library);

}  // namespace weft::doctor
