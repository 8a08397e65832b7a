// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/command.hpp"

namespace weft::box_program {

/// The command line of `weft box`.
void add_box(CLI::App& weft, program::Action& action);

}  // namespace weft::box_program
