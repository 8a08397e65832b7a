// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/command.hpp"

namespace weft::bench {

/// The command line of `weft bench`.
void add_bench(CLI::App& weft, program::Action& action);

}  // namespace weft::bench
