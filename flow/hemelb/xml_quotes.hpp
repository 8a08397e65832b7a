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

/// Adds missing quotes around the values of attributes: XML requires them, but HemePure reads cases without, and ships
/// one. Such a value ends at a blank, at > or at />. Comments, declarations, CDATA and quoted values stay unchanged; at
/// any other error of XML, the rest stays unchanged. Adds at most a thousand.
QuotedText with_quotes(const std::string& text);

}  // namespace weft::hemelb
