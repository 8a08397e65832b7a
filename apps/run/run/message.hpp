// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace weft::run {

/// A line of this program on stderr. Where it can't be written, that is nobody's error: the exit status is the
/// launcher's.
void say(std::string_view what);

/// A line that says why nothing is run.
void say_error(std::string_view what);

}  // namespace weft::run
