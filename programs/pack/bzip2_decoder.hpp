// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pack/codec.hpp"

namespace weft::pack {

/// Reads blocks of bzip2 that begin at any bit.
///
/// To invert the Burrows-Wheeler transform one follows a chain through all bytes in no order, and waits for memory at
/// each. Here the chain is followed from many of its bytes at once, each time up to the next of them; what was found is
/// joined at the end.
class Bzip2Decoder {
 public:
  /// Decodes blocks without a stream's head and end; replaces `out`. The first block begins in the first byte, the last
  /// one ends in the last. Verifies their checksums. Throws weft::Error.
  void decode(View in, Bytes& out);

 private:
  class Bits;
  void read(Bits& bits);
  void invert();
  void append(Bytes& out) const;

  std::vector<std::uint32_t> next_;  // of each byte, by its place in the sorted text: the byte + 256 x its successor
  std::vector<std::uint8_t> last_, text_;  // before and after the inversion
  std::vector<std::uint8_t> pieces_;
  std::vector<std::uint32_t> piece_behind_;
  std::size_t bytes_ = 0;
  std::uint32_t origin_ = 0, crc_ = 0;
};

}  // namespace weft::pack
