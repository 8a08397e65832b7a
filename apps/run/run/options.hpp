// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "run/gates.hpp"
#include "run/process.hpp"

namespace weft::run {

/// The command line.
struct Options {
  Words command;  ///< behind --
  std::string out;
  std::string report;  ///< show this one again; nothing is run
  Gates gates;
  int repeat = 1;
  Words variables;  ///< for the library: NAME=value
};

/// Nothing if it asked for help or the version, which are printed. Throws InputError where it is wrong.
std::optional<Options> read_options(int argc, char** argv);

}  // namespace weft::run
