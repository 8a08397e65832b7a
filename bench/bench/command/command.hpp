// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::bench {

/// The command line of `weft bench`.
void add_bench(CLI::App& weft, command_line::Action& action);

}  // namespace weft::bench
