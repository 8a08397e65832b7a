// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/options.hpp"

namespace weft::run {

/// Runs the program, as often as was asked for, and reports. Returns this program's exit status.
int run_job(const Options& options);

/// Shows a report again.
int show_again(const Options& options);

}  // namespace weft::run
