// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "run/launcher.hpp"
#include "run/program.hpp"

namespace weft::run {

/// Open MPI's parameter mca_base_env_list, a list of variables to pass. If it is set, Open MPI 4 refuses -x.
struct McaList {
  std::string value;
  char separator = ';';
  std::vector<std::size_t> words;  ///< its positions on the command line; empty: set in the environment or a file
};

/// Nothing if it is not set on the command line, in the environment, or in the user's or the machine's file.
std::optional<McaList> mca_list(const Words& words, const std::vector<Part>& parts, const Launcher& launcher);

}  // namespace weft::run
