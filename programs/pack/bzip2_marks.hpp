// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pack/codec.hpp"

namespace weft::pack::detail {

/// What a block of bzip2 and the end of a stream begin with, in 48 bits, each followed by a checksum of 32.
constexpr std::uint64_t bzip2_block_number = 0x314159265359, bzip2_end_number = 0x177245385090;
constexpr std::size_t bzip2_mark_bits = 80;  ///< with the checksum

/// A mark, which begins at any bit.
struct Bzip2Mark {
  std::uint64_t bit = 0;  ///< its place, the first bit of a byte being the highest
  std::uint32_t crc = 0;
  bool ends_stream = false;
  bool is_randomised = false;  ///< a block of bzip2 before 0.9.5, which only libbz2 can read
};
/// The most bytes in which a mark has bits, with the bit for randomised blocks.
constexpr std::size_t bzip2_mark_bytes = 12;
/// Those that begin in the first bytes, in their order; `bytes` has bzip2_mark_bytes - 1 more, or ends the file.
std::vector<Bzip2Mark> bzip2_marks(View bytes, std::size_t first);
/// Whether this number of 48 bits begins at a bit, 0 to 7, of the first byte.
bool is_bzip2_mark(View bytes, unsigned bit, std::uint64_t number);

/// bzip2's checksum, which has the highest bit first.
std::uint32_t bzip2_crc(View bytes);
/// The checksum of a stream after a further block.
constexpr std::uint32_t bzip2_crc(std::uint32_t stream, std::uint32_t block) {
  return (stream << 1 | stream >> 31) ^ block;
}
/// The end of a stream with this checksum, at a whole byte.
Bytes bzip2_end(std::uint32_t crc);

}  // namespace weft::pack::detail
