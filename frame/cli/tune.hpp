// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::cli {

/// `weft tune`: shows or clears what --tune has stored.
void add_tune(CLI::App& weft, command_line::Action& action);

}  // namespace weft::cli
