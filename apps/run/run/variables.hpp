// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "run/process.hpp"

namespace weft::run {

constexpr std::string_view preload = "LD_PRELOAD=";

/// The library behind what is preloaded already. Those are separated by colons or blanks.
std::string appended(std::string_view before, const std::string& library);

/// LD_PRELOAD= with what this process's environment has of it, and the library.
std::string own_preload(const std::string& library);

/// A list of variables (A=b,C) with ours behind it; a LD_PRELOAD that it has is extended. Throws InputError where one
/// of ours has the separator in it; `reader` is who could not read it then.
std::string with_ours(const std::string& list, char separator, const Words& variables, const std::string& library,
                      std::string_view reader);

}  // namespace weft::run
