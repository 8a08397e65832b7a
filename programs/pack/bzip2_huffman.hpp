// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::pack {

/// The Huffman tables of one bzip2 block, and the table of each group of 50 symbols.
struct HuffmanTables {
  static constexpr std::size_t group_size = 50;
  using Lengths = std::array<std::uint8_t, 258>;
  using Codes = std::array<std::uint32_t, 258>;

  std::vector<Lengths> lengths;
  std::vector<Codes> codes;
  std::vector<std::uint8_t> selectors;
};

/// Chooses tables for symbols below `alphabet`: alternately assigns groups to the cheapest table and fits the tables to
/// their groups, four times, starting from tables that each favour a share of the alphabet, as bzip2 does.
HuffmanTables fit_tables(std::span<const std::uint16_t> symbols, std::size_t alphabet);

}  // namespace weft::pack
