// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::hemelb {

/// An attribute whose value had no quotes.
struct AddedQuotes {
  std::size_t line = 0;
  std::string element, name, value;
};

struct QuotedText {
  std::string text;  ///< with the same line ends
  std::vector<AddedQuotes> added;
};

/// Puts quotes around attributes' values that have none: XML asks for them, but HemePure reads cases without, and ships
/// one. Such a value ends at a blank, at > or at />. Comments, declarations, CDATA and what has its quotes stay as they
/// are; of what is no XML for another reason, everything after that stays. At most a thousand are added.
QuotedText with_quotes(const std::string& text);

}  // namespace weft::hemelb
