// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/launcher.hpp"

namespace weft::run {

/// Why the program of that command can't be watched, as far as its file shows; empty if nothing speaks against it.
/// Scripts, containers and interpreters show nothing before they run. A best guess: which word is the program only its
/// launcher knows.
std::string why_not_watched(Launcher launcher, const Words& words);

}  // namespace weft::run
