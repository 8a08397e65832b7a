// SPDX-License-Identifier: BSD-3-Clause
// The formats are described in CPython's sources: Objects/lnotab_notes.txt of 3.10, Objects/locations.md of 3.11 (later
// InternalDocs/code_objects.md).
#include "advise/python_lines.hpp"

#include <cstdint>
#include <limits>

namespace weft::advise {
namespace {

constexpr std::size_t unit_bytes = 2;

// Pairs of bytes: how far an entry reaches, and by how much its line differs from that of the entry before.
int line_of_pairs(int line, std::span<const unsigned char> table, std::size_t offset) {
  constexpr int no_line = -128;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    end += table[i];
    const int change = static_cast<signed char>(table[i + 1]);
    if (change != no_line) line += change;
    if (offset < end) return change == no_line ? 0 : line;
  }
  return 0;
}

// Reads numbers of six bits a byte, the lowest first; the seventh bit says that more follow.
class Numbers {
 public:
  explicit Numbers(std::span<const unsigned char> table) : table_(table) {}
  bool empty() const { return at_ >= table_.size(); }
  unsigned byte() { return empty() ? 0u : table_[at_++]; }
  int signed_number() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; !empty() && shift < 32; shift += 6) {
      const auto one = byte();
      value |= (one & 0x3fu) << shift;
      if ((one & 0x40u) == 0) break;
    }
    const auto size = static_cast<int>(value >> 1);
    return (value & 1u) != 0 ? -size : size;
  }
  // To the first byte of the next entry.
  void skip_entry() {
    while (!empty() && (table_[at_] & 0x80u) == 0) ++at_;
  }

 private:
  std::span<const unsigned char> table_;
  std::size_t at_ = 0;
};

// In 64 bits, so that the sum of a damaged table does not overflow.
std::int64_t line_of_entries(std::int64_t line, std::span<const unsigned char> table, std::size_t offset) {
  constexpr unsigned long_form = 14, no_columns = 13, last_on_one_line = 12, first_on_one_line = 10, nothing = 15;
  std::size_t end = 0;
  for (Numbers in(table); !in.empty();) {
    const auto first = in.byte();
    if ((first & 0x80u) == 0) return 0;
    const auto code = first >> 3 & 0xfu;
    end += unit_bytes * ((first & 7u) + 1);
    if (code == long_form || code == no_columns) line += in.signed_number();
    if (code >= first_on_one_line && code <= last_on_one_line) line += static_cast<int>(code - first_on_one_line);
    if (offset < end) return code == nothing ? 0 : line;
    in.skip_entry();
  }
  return 0;
}

}  // namespace

int python_line(LineTable kind, int first, std::span<const unsigned char> table, std::size_t offset) {
  const std::int64_t line =
      kind == LineTable::of_3_10 ? line_of_pairs(first, table, offset) : line_of_entries(first, table, offset);
  return line > 0 && line <= std::numeric_limits<int>::max() ? static_cast<int>(line) : 0;
}

}  // namespace weft::advise
