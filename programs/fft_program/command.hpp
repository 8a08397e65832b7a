// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::fft_program {

/// The command line of `weft fft`.
void add_fft(CLI::App& weft, command_line::Action& action);

}  // namespace weft::fft_program
