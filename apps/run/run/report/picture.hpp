// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/report/findings.hpp"

namespace weft::run {

/// Text as HTML: numbers and units stay together, and "us" is µs.
std::string html(const std::string& text);

/// One step of all ranks as HTML, or empty if there is none: rows and axis are
/// HTML, so that text keeps its size on a telephone; only the bars stretch.
std::string picture_of(const Findings& findings);

}  // namespace weft::run
