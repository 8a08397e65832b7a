// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::flow {

/// The command line of `weft flow`.
void add_flow(CLI::App& weft, command_line::Action& action);

}  // namespace weft::flow
