// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pack/codec.hpp"

namespace weft::pack::detail {

/// What a block of bzip2 and the end of a stream begin with, each followed by a checksum.
constexpr std::string_view bzip2_block_mark = "\x31\x41\x59\x26\x53\x59", bzip2_end_mark = "\x17\x72\x45\x38\x50\x90";
constexpr std::size_t bzip2_mark_bytes = 10;  ///< with the checksum

/// A mark that begins at a whole byte. Only weft's blocks all do.
struct Bzip2Mark {
  std::uint64_t at = 0;
  std::uint32_t crc = 0;
  bool ends_stream = false;
};
/// In the order of the bytes.
std::vector<Bzip2Mark> bzip2_marks(View bytes);

/// The checksum of a stream after a further block.
constexpr std::uint32_t bzip2_crc(std::uint32_t stream, std::uint32_t block) {
  return (stream << 1 | stream >> 31) ^ block;
}
/// The end of a stream with this checksum, at a whole byte.
Bytes bzip2_end(std::uint32_t crc);

}  // namespace weft::pack::detail
