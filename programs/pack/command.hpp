// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::pack {

/// The command line of `weft pack` and of `weft unpack`.
void add_pack(CLI::App& weft, command_line::Action& action);
void add_unpack(CLI::App& weft, command_line::Action& action);

}  // namespace weft::pack
