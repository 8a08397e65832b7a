// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/command.hpp"

namespace weft::predict {

/// The command line of `weft predict`.
void add_predict(CLI::App& weft, program::Action& action);

}  // namespace weft::predict
