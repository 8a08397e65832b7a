// SPDX-License-Identifier: BSD-3-Clause
#include "weft/error.hpp"

#include <cstddef>

namespace weft {

std::string InputError::one_line(std::string text) {
  constexpr std::size_t most_bytes = 3000, kept_at_the_end = 500;
  if (text.size() > most_bytes) text.replace(most_bytes - kept_at_the_end, text.size() - most_bytes, " ... ");
  for (auto& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = c == '\n' || c == '\r' || c == '\t' ? ' ' : '?';
  }
  return text;
}

}  // namespace weft
