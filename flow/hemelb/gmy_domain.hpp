// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/given_sites.hpp"
#include "geometry/voxelise.hpp"
#include "hemelb/gmy.hpp"
#include "weft/transport/transport.hpp"

namespace weft::hemelb {

// A block of a .gmy file, uncompressed: for each of its sites, z fastest, 0 (solid) or 1 (fluid), and for a fluid one
//   for each of the 26 links, dz fastest: 0 (ends in fluid), 1 (wall), 2 (inlet), 3 (outlet); of inlets and outlets the
//   number, each counted from 0; of all but 0 where the link is cut (float, a fraction of its length)
//   from version 3: 0, or 1 and the wall's normal (3 floats), which weft does not use

/// The number of inlets and outlets; weft numbers outlets after the inlets.
struct OpeningCounts {
  std::uint32_t inlets = 0, outlets = 0;
};

/// Uncompresses blocks and reads their sites. Use one object for many blocks: it keeps its memory.
class BlockReader {
 public:
  BlockReader(const Gmy& gmy, const OpeningCounts& openings);

  /// Adds the block's sites within `wanted` to `sites`. `first` is the block's lowest site. Throws InputError with
  /// file, block, byte of the uncompressed block, and reason.
  void read(std::span<const std::byte> packed, const BlockRecord& record, const geometry::Position& first,
            const geometry::Columns& wanted, geometry::GivenSites& sites);

 private:
  void inflate(std::span<const std::byte> packed, const BlockRecord& record, const std::string& what);
  void read_links(XdrReader& in, const std::string& what, const geometry::Position& p, bool wanted,
                  geometry::GivenSites& sites) const;

  const Gmy& gmy_;
  OpeningCounts openings_;
  std::vector<std::byte> inflated_;
};

/// The position of the lattice of a .gmy file.
struct Placement {
  double voxel = 0;               ///< m
  geometry::Vector first_site{};  ///< of site (0, 0, 0), m
};

/// The sites of some columns. Collective: each rank reads its share of the table and sends the file offsets of the
/// columns to the ranks that need them, then reads its own columns. Messages: four all-to-alls of 8 to 16 bytes per
/// column of blocks. Memory: this rank's sites, and one column of blocks. Throws InputError on every rank.
geometry::GivenSites read_columns(Transport& transport, const Gmy& gmy, const std::vector<geometry::Opening>& openings,
                                  std::span<const geometry::Columns> columns);

/// Creates each rank's share of the lattice from a .gmy file. `openings` are in HemeLB's order: inlets, then outlets.
/// Collective. Throws InputError on every rank.
geometry::Domain make_domain(Transport& transport, const Gmy& gmy, const Placement& placement,
                             const std::vector<geometry::Opening>& openings, geometry::SetupReport& report);

}  // namespace weft::hemelb
