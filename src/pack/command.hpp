// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/command.hpp"

namespace weft::pack {

/// The command line of `weft pack` and of `weft unpack`.
void add_pack(CLI::App& weft, program::Action& action);
void add_unpack(CLI::App& weft, program::Action& action);

}  // namespace weft::pack
