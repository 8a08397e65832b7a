// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace weft::python {

/// A command of weft whose main function is in this module. `weft` itself (help, version, tune) has the name "weft".
struct MainFunction {
  std::string_view name;
  int (*run)(int argc, char** argv);
};

/// All of them in the wheel; none in a build folder, where they are programs.
std::span<const MainFunction> main_functions();

}  // namespace weft::python
