// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace weft::run {

/// Prints a line on stderr. A failure is ignored, since the exit status is the launcher's.
void say(std::string_view what);

/// Prints the reason why nothing is run.
void say_error(std::string_view what);

}  // namespace weft::run
