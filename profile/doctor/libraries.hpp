// SPDX-License-Identifier: BSD-3-Clause
// The MPI libraries of this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/names.hpp"

namespace weft::doctor {

enum class Abi { openmpi, mpich, standard };

/// As in the names of the probes and in JSON.
inline constexpr Names<Abi> abi_names("ABI",
                                      {{Abi::openmpi, "openmpi"}, {Abi::mpich, "mpich"}, {Abi::standard, "abi"}});

struct Library {
  std::filesystem::path path;  ///< without symbolic links
  std::string name;            ///< the name that programs are linked with: libmpi.so.40
  Abi abi;
  std::string family, version;  ///< "Open MPI", "4.1.4"
  std::string text;             ///< the output of MPI_Get_library_version
  std::string trouble;          ///< why it can't be used; empty if it can

  std::string title() const { return family.empty() ? path.string() : family + " " + version; }
};

/// The ABI of an MPI library's file name; nothing if it is not the name of an MPI library.
std::optional<Abi> abi_of_name(const std::string& file_name);

/// Folders that may contain MPI libraries: those of the loader's cache, the usual ones, those of Python environments,
/// LD_LIBRARY_PATH, `more`. Each program that is run for this has a time-out of `timeout` seconds.
std::vector<std::filesystem::path> folders(const std::vector<std::filesystem::path>& more, double timeout);

/// The MPI libraries in these folders, in that order, without duplicates. The version of each is read in a process of
/// its own, with a time-out of `timeout` seconds.
std::vector<Library> libraries(const std::vector<std::filesystem::path>& folders, double timeout);

/// The path of the program that opens libraries of this ABI, in the build folder or the installation.
std::filesystem::path probe(Abi abi);

/// The line of JSON in a probe's output; empty if there is none.
std::string probe_line(const std::string& out);

}  // namespace weft::doctor
