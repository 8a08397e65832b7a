// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "run/process.hpp"

namespace weft::run {

constexpr std::string_view preload = "LD_PRELOAD=";

/// A list of preloaded libraries with this one appended.
std::string appended(std::string_view before, const std::string& library);

/// LD_PRELOAD= with its value in this process's environment, and the library appended.
std::string own_preload(const std::string& library);

/// A list of variables (A=b,C) with `variables` appended; a LD_PRELOAD in the list is extended. Throws an InputError if
/// one of `variables` contains the separator; `reader` names the program that reads the list.
std::string with_ours(const std::string& list, char separator, const Words& variables, const std::string& library,
                      std::string_view reader);

}  // namespace weft::run
