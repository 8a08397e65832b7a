// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/command.hpp"

namespace weft::flow {

/// The command line of `weft flow`.
void add_flow(CLI::App& weft, program::Action& action);

}  // namespace weft::flow
