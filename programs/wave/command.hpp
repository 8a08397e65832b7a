// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::wave {

/// The command line of `weft wave`.
void add_wave(CLI::App& weft, command_line::Action& action);

}  // namespace weft::wave
