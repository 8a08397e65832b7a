// SPDX-License-Identifier: BSD-3-Clause
// The MPI libraries of this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::doctor {

enum class Abi { openmpi, mpich, standard };

/// "openmpi", "mpich", "abi": as in the names of the probes and in JSON.
const char* word(Abi abi);

struct Library {
  std::filesystem::path path;  ///< without symbolic links
  std::string name;            ///< that programs ask for: libmpi.so.40
  Abi abi;
  std::string family, version;  ///< "Open MPI", "4.1.4"
  std::string text;             ///< all that MPI_Get_library_version says
  std::string trouble;          ///< why it can't be used; empty: it can

  std::string title() const { return family.empty() ? path.string() : family + " " + version; }
};

/// Whether programs that are built with an MPI library ask for a file of this name, and what its ABI is.
std::optional<Abi> abi_of_name(const std::string& file_name);

/// Where MPI libraries are, as far as one can know: what the loader knows, the usual folders, Python environments',
/// LD_LIBRARY_PATH, `more`. Each program that is asked may take `patience` seconds.
std::vector<std::filesystem::path> folders(const std::vector<std::filesystem::path>& more, double patience);

/// Those in these folders, each once, in that order, asked for its version in a process of its own that may take
/// `patience` seconds.
std::vector<Library> libraries(const std::vector<std::filesystem::path>& folders, double patience);

/// The program that opens libraries of this ABI: where it is built, or where it is installed.
std::filesystem::path probe(Abi abi);

/// The line of JSON that a probe has printed; empty if there is none.
std::string probe_line(const std::string& out);

}  // namespace weft::doctor
