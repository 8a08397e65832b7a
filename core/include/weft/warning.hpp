// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace [[gnu::visibility("default")]] weft {

/// Sets what this process does with weft's warnings, such as that a rank has waited for long; empty: prints them to
/// stderr, as "weft: TEXT", which is the default. Local.
///
/// Any thread may call the handler, and several at once. It must not call weft, and is best short: a rank that waits
/// makes no progress meanwhile. If it throws, the warning is printed to stderr. A call that has begun may still go on
/// when set_warning_handler() returns. The last line of a job that weft ends is no warning, and goes to stderr.
void set_warning_handler(std::function<void(const std::string& text)> handler);

/// Gives a warning to the handler. The text has no line end; it may have several lines. Any thread may call it.
void warn(const std::string& text) noexcept;

}  // namespace weft
