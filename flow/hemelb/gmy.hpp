// SPDX-License-Identifier: BSD-3-Clause
//
// HemeLB's geometry file (.gmy), all of it in big-endian (XDR):
//   preamble  "hlb!", "gmy" 4, version, blocks along x, y, z, sites along a block's edge,
//             up to version 3: voxel (double, metres), position of site (0, 0, 0) (3 doubles), then 0
//   table     for each block, z fastest: fluid sites, bytes in the file, uncompressed bytes
//   blocks    in the same order, without those that have no fluid; each compressed by zlib (gmy_domain.hpp)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::hemelb {

/// The table's record of one block.
struct BlockRecord {
  std::uint32_t sites = 0;
  std::uint32_t bytes = 0;     ///< in the file
  std::uint32_t inflated = 0;  ///< bytes
};

/// The file's preamble. Numbers that contradict the file's size are refused when it is read.
struct Gmy {
  std::filesystem::path file;
  std::uint64_t file_bytes = 0;
  std::uint32_t version = 0;
  std::array<std::uint32_t, 3> blocks{};
  std::uint32_t block_width = 0;                 ///< sites along an edge; 8 in HemeLB
  std::optional<double> voxel;                   ///< m; in version 4 it is in the XML
  std::optional<geometry::Vector> first_site{};  ///< m; as `voxel`

  bool has_normals() const { return version > 2; }
  std::uint64_t table_at() const { return version > 3 ? 32 : 64; }
  /// Columns of blocks along z, x slowest, and the first byte after the table.
  std::uint64_t columns() const { return std::uint64_t{blocks[0]} * blocks[1]; }
  std::uint64_t blocks_at() const { return table_at() + 12 * columns() * blocks[2]; }
  /// Sites along each axis.
  std::array<std::int32_t, 3> extent() const;
};

/// Reads a preamble. Throws InputError with the file, the byte and the reason.
Gmy read_gmy(const std::filesystem::path& file);

/// Reads parts of an open .gmy file.
class GmyFile {
 public:
  explicit GmyFile(const Gmy& gmy);
  /// Reads the table's records of one column of blocks.
  void column(std::uint64_t number, std::vector<BlockRecord>& records);
  /// Throws InputError if the file is shorter. Never allocates more memory than the file has bytes.
  void bytes(std::uint64_t at, std::uint64_t count, std::vector<std::byte>& to);

 private:
  const Gmy& gmy_;
  std::ifstream stream_;
  std::vector<std::byte> table_;
};

/// Reads big-endian numbers one by one. Throws InputError that begins with `what` at the end of the data.
class XdrReader {
 public:
  XdrReader(std::span<const std::byte> bytes, const std::string& what) : bytes_(bytes), what_(what) {}
  std::uint32_t whole() { return static_cast<std::uint32_t>(take(4)); }
  float single();
  double real();
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::uint64_t take(std::size_t count);

  std::span<const std::byte> bytes_;
  const std::string& what_;
  std::size_t at_ = 0;
};

/// Data of the openings in a .gmy file.
struct GmyOpenings {
  std::int64_t sites = 0;      ///< of the whole file
  std::vector<double> radius;  ///< of each opening, in voxels; 0: no link is cut there
};

/// Reads all blocks of a file, one at a time, and measures the largest distance from its centre at which an opening
/// cuts links. (HemeLB's XML has no radius for most conditions.) `openings` are inlets, then outlets, with centre and
/// normal in voxels from site (0, 0, 0). Not collective. Memory: one block. Throws InputError.
GmyOpenings measure_openings(const Gmy& gmy, const std::vector<geometry::Opening>& openings);

}  // namespace weft::hemelb
