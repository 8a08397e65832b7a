// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::run {

/// The file that a shell would run for a word: a path, or a name in PATH; empty if there is none.
std::filesystem::path executable(const std::string& word);

/// The last part of a path.
std::string name_of(const std::string& word);

/// Whether a program's purpose is to run another one, as env or timeout.
bool is_prefix(const std::string& word);

/// NAME=value.
bool is_assignment(const std::string& word);

/// The properties of a program file that decide whether a library can be preloaded into it.
struct Elf {
  int bits = 64;
  bool dynamic = false;             ///< has a dynamic loader, which reads LD_PRELOAD
  std::string loader;               ///< path of the loader
  std::vector<std::string> needed;  ///< names of the libraries that it needs directly
};

/// Nothing if the file is not an ELF file (a script), or can't be read.
std::optional<Elf> read_elf(const std::filesystem::path& file);

}  // namespace weft::run
