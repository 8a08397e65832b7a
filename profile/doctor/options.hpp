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

/// Nothing if help or version were requested, which are printed. Throws an InputError if an option is wrong.
std::optional<Options> read_options(int argc, char** argv);

}  // namespace weft::doctor
