// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

namespace weft::advise {

/// The two encodings of a code object's line table (co_linetable).
enum class LineTable { of_3_10, of_3_11 };

/// The source line of the instruction at that offset (in bytes); 0 if it has none or the table is damaged. `first` is
/// the line on which the function begins (co_firstlineno).
int python_line(LineTable kind, int first, std::span<const unsigned char> table, std::size_t offset);

}  // namespace weft::advise
