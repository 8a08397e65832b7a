// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "run/emulated.hpp"
#include "run/gates.hpp"
#include "run/process.hpp"

namespace weft::run {

/// The command line.
struct Options {
  Words command;  ///< after --
  std::string out;
  std::string report;  ///< print this report again; nothing is run
  Gates gates;
  int repeat = 1;
  Words variables;                       ///< for the library: NAME=value
  std::string history, markdown, junit;  ///< a folder and files; empty: none
  std::string against;                   ///< the file of gates.before
  std::optional<Network> network;        ///< to emulate
};

/// Nothing if help or version were requested, which are printed. Throws an InputError if an option is wrong.
std::optional<Options> read_options(int argc, char** argv);

}  // namespace weft::run
