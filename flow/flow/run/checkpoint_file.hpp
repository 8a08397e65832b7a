// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/extracts/wall_stress.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// A block of this rank and its position in the file. The file has the blocks of all ranks, ascending by
/// Grid::block_id: an order that does not depend on the number of ranks.
struct BlockPlace {
  std::int64_t id = 0;
  std::size_t first = 0;  ///< index in Domain::sites, where a block's sites are consecutive
  std::uint32_t sites = 0, openings = 0,
                walls = 0;  ///< of the block: all, with a link to an opening, beside the wall
  std::int64_t number = 0;  ///< number of blocks before it
  std::int64_t sites_before = 0, openings_before = 0, walls_before = 0;
};

struct BlockPlaces {
  std::vector<BlockPlace> mine;                                 ///< ascending by id
  std::int64_t blocks = 0, sites = 0, openings = 0, walls = 0;  ///< of all ranks
};

/// Finds the positions of this rank's blocks. Each rank counts a range of the blocks, so no rank holds all of them.
/// `walls`: this rank's, ascending by site. Collective.
BlockPlaces place_blocks(Transport& transport, const geometry::Domain& domain,
                         const std::function<bool(std::size_t site)>& at_opening, std::span<const WallSite> walls);

/// A hash of the vessel's sites and links to openings; the same on every rank and for any number of ranks. Collective.
std::uint64_t hash_of(Transport& transport, const geometry::Domain& domain);

}  // namespace weft::flow

namespace weft::flow::checkpoint {

// The file format of a flow's checkpoint. Nothing here is collective.

/// Diagnostics of one rank that the monitors have not yet reduced.
struct Seen {
  lattice::Observation observation = lattice::nothing_seen();
  std::vector<double> inflow{};          ///< for each opening
  std::vector<std::int64_t> pressure{};  ///< likewise, in ticks
};

struct Header {
  std::int64_t step = 0;        ///< number of completed steps
  std::string settings;         ///< all settings that the state depends on, one per line
  std::int64_t directions = 0;  ///< number of lattice velocities
  std::int64_t blocks = 0, sites = 0, opening_sites = 0;
  std::int64_t wall_sites = 0, wall_samples = 0;  ///< of the wall averages; no sites: there are none
  ObservedSteps observed{};
  FlowMonitors::State monitors{};
  std::vector<Seen> seen{};  ///< for each rank that wrote
  std::string program_state{};
};

/// The header's bytes with its checksum, padded to whole pages.
std::string bytes_of(Header header);
/// Reads the header's bytes from a file and checks the file's size against them. Throws program::DamagedError.
std::string read_header_bytes(const std::filesystem::path& file);
/// Parses a header; `file` is for messages. Throws program::DamagedError.
Header parse(const std::filesystem::path& file, const std::string& bytes);

/// A block's entry in the table after the header.
struct Entry {
  std::int64_t block = 0;  ///< Grid::block_id
  std::uint32_t sites = 0;
  std::uint32_t crc = 0;  ///< of the block's values
};
static_assert(sizeof(Entry) == 16);

/// The numbers of a site: the arriving population of each lattice velocity, then velocity and density, and with D3Q27
/// the correction of advection (three numbers, 0 if advection is plain).
constexpr bool has_correction(std::size_t directions) { return directions == 27; }
constexpr std::size_t bytes_of_site(std::size_t directions) {
  return (directions + 4 + (has_correction(directions) ? 3 : 0)) * sizeof(double);
}
void pack(const lattice::SiteState& state, std::size_t directions, std::byte* to);
lattice::SiteState unpack(const std::byte* from, std::size_t directions);

/// The size of a block's values: the numbers of each site, then a lattice::OpeningSiteState for each site at an
/// opening, then, if there are averages, a WallAverages::Sum for each site beside the wall.
constexpr std::size_t bytes_of(const BlockPlace& block, std::size_t directions, bool averages) {
  return block.sites * bytes_of_site(directions) + block.openings * sizeof(lattice::OpeningSiteState) +
         (averages ? block.walls * sizeof(WallAverages::Sum) : 0);
}

/// Offsets in the file.
struct Layout {
  std::int64_t header_bytes, blocks, directions;
  bool averages;

  std::int64_t entry_at(std::int64_t number) const { return header_bytes + number * std::int64_t{sizeof(Entry)}; }
  std::int64_t values_at(std::int64_t sites_before, std::int64_t openings_before, std::int64_t walls_before) const {
    return entry_at(blocks) +
           sites_before * static_cast<std::int64_t>(bytes_of_site(static_cast<std::size_t>(directions))) +
           openings_before * std::int64_t{sizeof(lattice::OpeningSiteState)} +
           (averages ? walls_before * std::int64_t{sizeof(WallAverages::Sum)} : 0);
  }
};

/// The settings that a checkpoint depends on, as readable text: a run can restart from a file only if all lines are
/// equal.
std::string settings_of(const Case& c, const Scaling& scaling, const BlockPlaces& places, std::uint64_t hash);

}  // namespace weft::flow::checkpoint
