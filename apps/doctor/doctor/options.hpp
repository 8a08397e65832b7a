// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace weft::doctor {

struct Options {
  std::string program;
  double seconds = 5;
  bool json = false;
};

/// Prints help or the version: nothing is left to do, and none is returned. Throws InputError if the words are wrong.
std::optional<Options> read_options(int argc, char** argv);

}  // namespace weft::doctor
