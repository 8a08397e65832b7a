// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace weft::command_line {

/// A word as a person may paste it into a shell: as it is if it has only letters, digits and _@%+=:,./-, else in single
/// quotes. For every command that a program suggests.
std::string shell_word(std::string_view word);

}  // namespace weft::command_line
