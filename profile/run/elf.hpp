// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::run {

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
