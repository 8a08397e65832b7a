// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/options.hpp"

namespace weft::run {

/// Runs the program --repeat times and reports. Returns the exit status of weft run.
int run_job(const Options& options);

/// Prints an existing report again.
int show_again(const Options& options);

}  // namespace weft::run
