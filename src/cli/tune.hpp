// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/command.hpp"

namespace weft::cli {

/// `weft tune`: shows or clears what --tune has stored.
void add_tune(CLI::App& weft, program::Action& action);

}  // namespace weft::cli
