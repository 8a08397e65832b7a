// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::bench {

/// The path of a program in PATH; empty if there is none.
std::filesystem::path find_program(const std::string& name);

/// Runs a program with its output in a file, on all cores (a rank may be bound to one), and waits for it. Returns its
/// status; throws an Error if it can't be started.
int run_program(const std::vector<std::string>& command, const std::filesystem::path& output);

}  // namespace weft::bench
