// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/launcher.hpp"

namespace weft::run {

/// A command and the environment that it is started with.
struct Start {
  Words command, environment;
};

/// The same command, which hands `variables` (NAME=value) and the library to all of its processes; what it says of
/// LD_PRELOAD itself stays in front of it. Throws InputError where a value can't be handed on.
Start with_variables(Words command, const Launcher& launcher, const Words& variables, const std::string& library);

}  // namespace weft::run
