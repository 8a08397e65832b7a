// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/report/findings.hpp"

namespace weft::run {

/// Text as HTML: numbers and units are not separated, and "us" becomes µs.
std::string html(const std::string& text);

/// The timeline of one step of all ranks as HTML; empty if there is none. Rows and axis are HTML, so that text keeps
/// its size on small screens; only the bars are scaled.
std::string picture_of(const Findings& findings);

/// The same without a heading and without a section of its own.
std::string timeline_of(const Findings& findings);

/// The page's CSS.
extern const char* const style;

}  // namespace weft::run
