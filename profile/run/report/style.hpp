// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::run {

/// The page's CSS.
extern const char* const style;

}  // namespace weft::run
