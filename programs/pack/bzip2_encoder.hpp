// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pack/bzip2_huffman.hpp"
#include "pack/codec.hpp"

namespace weft::pack {

/// Writes bzip2 blocks like bzip2 1.0, but sorts with libdivsufsort, which takes half of libbz2's time.
///
/// Each block of a stream: runs of 4 to 259 equal bytes shortened, Burrows-Wheeler transform, move to front, runs of
/// zeros in base 2, Huffman codes of up to six tables, selected anew every 50 symbols. libbz2 can read it; its source
/// is the only specification. bzip2's own blocks end inside a byte. Here each block has up to 7 table selectors more
/// than it needs, of one bit each, which readers pass over. So a block is whole bytes, and ranks write blocks of one
/// stream beside each other.
class Bzip2Encoder {
 public:
  /// Blocks of level x 100,000 bytes; 1 to 9.
  explicit Bzip2Encoder(int level);
  /// Writes blocks without a stream's head and end; replaces `out`. Returns their number x 2^32 + their checksum.
  std::uint64_t encode(View in, Bytes& out);

 private:
  std::size_t shorten_runs(View in);
  void transform();
  void move_to_front();
  void write_block(std::uint32_t crc);
  // Gives the bits of a block to put(number, value), with `more` selectors than it needs.
  template <class Put>
  void give_block(const Put& put, std::uint32_t crc, const HuffmanTables& tables, std::size_t more) const;

  void put(unsigned bits, std::uint64_t value);

  std::size_t capacity_;
  std::vector<std::uint8_t> block_, rotated_, last_;
  std::vector<std::int32_t> suffixes_;
  std::vector<std::uint16_t> symbols_;
  std::array<bool, 256> used_{};
  std::uint32_t origin_ = 0;

  Bytes* out_ = nullptr;
  std::uint64_t pending_ = 0;  // the lowest pending_bits_ are not written yet
  unsigned pending_bits_ = 0;
};

}  // namespace weft::pack
