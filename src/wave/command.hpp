// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/command.hpp"

namespace weft::wave {

/// The command line of `weft wave`.
void add_wave(CLI::App& weft, program::Action& action);

}  // namespace weft::wave
