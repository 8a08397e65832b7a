// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::run {

/// What of a program's file decides whether a library can be preloaded into it.
struct Elf {
  int bits = 64;
  bool dynamic = false;             ///< has a loader, which looks at LD_PRELOAD
  std::string loader;               ///< its path
  std::vector<std::string> needed;  ///< names of libraries, without those that they need
};

/// Nothing if the file is none of ELF's (a script), or can't be read.
std::optional<Elf> read_elf(const std::filesystem::path& file);

}  // namespace weft::run
