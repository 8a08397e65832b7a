// SPDX-License-Identifier: BSD-3-Clause
#include "run/message.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace weft::run {

// fmt::print would throw if the stream is closed or full.
void say(std::string_view what) { std::fputs(fmt::format("weft run: {}\n", what).c_str(), stderr); }

void say_error(std::string_view what) { std::fputs(fmt::format("error: {}\n", what).c_str(), stderr); }

}  // namespace weft::run
