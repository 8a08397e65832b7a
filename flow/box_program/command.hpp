// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::box_program {

/// The command line of `weft box`.
void add_box(CLI::App& weft, command_line::Action& action);

}  // namespace weft::box_program
