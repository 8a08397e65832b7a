// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a checkpoint. Nothing here is collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "amr/files/checkpoint.hpp"
#include "program/checkpoints.hpp"

namespace weft::amr::checkpoint {

using program::DamagedError;

struct Entry {
  BlockKey key;
  std::uint32_t crc = 0;  ///< of its cells
};

struct Header {
  std::int64_t step = 0;
  double time = 0;
  Identity identity{};
  std::vector<Entry> blocks;  ///< in the order of their cells; level 0 first

  std::size_t block_bytes() const;
};

/// The header with its checksum, filled up to whole pages: the cells follow.
std::string bytes_of(const Header& header);
/// The same bytes from a file, whose size must match them. Throws DamagedError.
std::string read_header_bytes(const std::filesystem::path& file);
/// Throws DamagedError; `file` is for messages.
Header parse(const std::filesystem::path& file, const std::string& bytes);
/// The header's blocks that have children, for a Tree. Throws DamagedError unless all blocks are inside the domain, no
/// finer than a tree can number, and their number and nesting are those of a tree. Memory: some words per block,
/// whatever the header contains.
std::vector<BlockKey> refined_blocks(const std::filesystem::path& file, const Header& header);
/// Compares two identities. Throws InputError with the first difference.
void compare(const std::filesystem::path& file, const Identity& found, const Identity& wanted);

/// Reads and checks the cells of single blocks.
class BlockReader {
 public:
  BlockReader(const std::filesystem::path& file, const Header& header, std::size_t header_bytes);
  /// Throws DamagedError.
  void read(std::size_t place, std::span<double> cells);

 private:
  std::filesystem::path file_;
  const Header* header_;
  std::size_t header_bytes_;
  std::ifstream stream_;
};

}  // namespace weft::amr::checkpoint
