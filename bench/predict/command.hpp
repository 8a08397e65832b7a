// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::predict {

/// The command line of `weft predict`.
void add_predict(CLI::App& weft, command_line::Action& action);

}  // namespace weft::predict
