// SPDX-License-Identifier: BSD-3-Clause
#include "program/bytes.hpp"

namespace weft::program {

void ByteWriter::put_text(std::string_view text) {
  put(static_cast<std::uint64_t>(text.size()));
  bytes += text;
}

std::string ByteReader::get_text() {
  const auto letters = get<std::uint64_t>();
  if (letters > left()) throw EndError();
  return {take(letters), letters};
}

}  // namespace weft::program
