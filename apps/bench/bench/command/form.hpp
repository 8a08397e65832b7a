// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include "bench/shared/report.hpp"

namespace weft::bench {

/// The options that all benchmarks have.
void add_form(CLI::App& command, Options& options);

}  // namespace weft::bench
