// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "bench/shared/report.hpp"

namespace weft::bench {

/// Adds the options that all benchmarks have, and the end of the help: two examples, the second with `arguments`, and
/// the page of the docs.
void add_form(CLI::App& command, Options& options, const std::string& arguments = "");

}  // namespace weft::bench
