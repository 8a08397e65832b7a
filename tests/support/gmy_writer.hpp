// SPDX-License-Identifier: BSD-3-Clause
//
// Writes small geometry files of HemeLB.
#pragma once

#include <zlib.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::hemelb::test {

inline void put(std::string& to, std::uint64_t value, int bytes = 4) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) to += static_cast<char>(value >> shift & 0xFFU);
}
inline void put_single(std::string& to, float value) { put(to, std::bit_cast<std::uint32_t>(value)); }
inline void put_real(std::string& to, double value) { put(to, std::bit_cast<std::uint64_t>(value), 8); }

/// A straight duct along z with the sites from `low` to `high`, an inlet at its lower end and an outlet at its upper
/// end. Walls are cut at 0.25, openings at 0.75.
struct Duct {
  std::uint32_t version = 4;
  std::array<int, 3> blocks{3, 2, 4};
  int width = 8;
  std::array<int, 3> low{2, 3, 2}, high{21, 13, 29};
  double voxel = 0.001;
  std::array<double, 3> first_site{0.1, 0.2, 0.3};
  int bad_link = -1;  ///< of the first site, in the file's order: the file says that it ends in fluid

  bool fluid(int x, int y, int z) const {
    return x >= low[0] && x < high[0] && y >= low[1] && y < high[1] && z >= low[2] && z < high[2];
  }
  std::int64_t sites() const { return std::int64_t{high[0] - low[0]} * (high[1] - low[1]) * (high[2] - low[2]); }

  std::string text() const {
    std::string preamble, table, data;
    for (const std::uint32_t n : {0x686C6221U, 0x676D7904U, version}) put(preamble, n);
    for (const int n : blocks) put(preamble, static_cast<std::uint64_t>(n));
    put(preamble, static_cast<std::uint64_t>(width));
    if (version < 4) put_real(preamble, voxel);
    for (std::size_t k = 0; version < 4 && k < 3; ++k) put_real(preamble, first_site[k]);
    put(preamble, std::uint64_t{0});
    for (int x = 0; x < blocks[0]; ++x)
      for (int y = 0; y < blocks[1]; ++y)
        for (int z = 0; z < blocks[2]; ++z) add_block({x * width, y * width, z * width}, table, data);
    return preamble + table + data;
  }

 private:
  void add_block(const std::array<int, 3>& first, std::string& table, std::string& data) const {
    std::string block;
    std::uint64_t count = 0;
    for (int x = first[0]; x < first[0] + width; ++x)
      for (int y = first[1]; y < first[1] + width; ++y)
        for (int z = first[2]; z < first[2] + width; ++z) {
          put(block, std::uint64_t{fluid(x, y, z)});
          if (!fluid(x, y, z)) continue;
          ++count;
          add_links(x, y, z, block);
        }
    if (count == 0) block.clear();
    std::vector<Bytef> packed(compressBound(static_cast<uLong>(block.size())));
    auto size = static_cast<uLongf>(packed.size());
    if (count > 0)
      compress(packed.data(), &size, reinterpret_cast<const Bytef*>(block.data()), static_cast<uLong>(block.size()));
    if (count == 0) size = 0;
    for (const std::uint64_t n : {count, std::uint64_t{size}, std::uint64_t{block.size()}}) put(table, n);
    data.append(reinterpret_cast<const char*>(packed.data()), size);
  }

  void add_links(int x, int y, int z, std::string& block) const {
    int number = 0;
    bool wall = false;
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          if (dx == 0 && dy == 0 && dz == 0) continue;
          const bool bad = number++ == bad_link && x == low[0] && y == low[1] && z == low[2];
          if (fluid(x + dx, y + dy, z + dz) || bad) {
            put(block, std::uint64_t{0});
          } else if (fluid(x + dx, y + dy, z)) {  // straight through an end
            put(block, std::uint64_t{dz < 0 ? 2U : 3U});
            put(block, std::uint64_t{0});
            put_single(block, 0.75F);
          } else {
            wall = true;
            put(block, std::uint64_t{1});
            put_single(block, 0.25F);
          }
        }
    if (version < 3) return;
    put(block, std::uint64_t{wall});
    for (int i = 0; wall && i < 3; ++i) put_single(block, 0.5F);
  }
};

}  // namespace weft::hemelb::test
