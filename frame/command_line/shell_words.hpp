// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace weft::command_line {

/// The word as it can be pasted into a shell: unchanged if it has only letters, digits and _@%+=:,./-, else in single
/// quotes. For all commands that a program suggests.
std::string shell_word(std::string_view word);

}  // namespace weft::command_line
