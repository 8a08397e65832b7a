// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace weft::run {

/// The file that a shell would run for a word: a path, or a name in PATH; empty if there is none.
std::filesystem::path executable(const std::string& word);

/// The last part of a path.
std::string name_of(const std::string& word);

/// Whether a program's purpose is to run another one, as env or timeout.
bool is_prefix(const std::string& word);

/// NAME=value.
bool is_assignment(const std::string& word);

}  // namespace weft::run
