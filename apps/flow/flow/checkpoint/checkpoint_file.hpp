// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a flow's checkpoint. Nothing here is collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/checkpoint/block_places.hpp"
#include "flow/extracts/wall_averages.hpp"
#include "flow/monitoring/monitor.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"
#include "lattice/sparse_lattice.hpp"

namespace weft::flow::checkpoint {

/// What one rank had seen and nobody had told yet.
struct Seen {
  lattice::Observation observation = lattice::nothing_seen();
  std::vector<double> inflow;  ///< of each opening
};

struct Header {
  std::int64_t step = 0;        ///< of steps done
  std::string settings;         ///< all that the state depends on, a line each
  std::int64_t directions = 0;  ///< of the lattice
  std::int64_t blocks = 0, sites = 0, opening_sites = 0;
  std::int64_t wall_sites = 0, wall_samples = 0;  ///< of what was averaged there; no sites: nothing
  Looked looked{};
  FlowMonitors::Told told{};
  std::vector<Seen> seen{};  ///< of each rank that wrote
  std::string program_state{};
};

/// With its checksum, filled up to whole pages.
std::string bytes_of(const Header& header);
/// The same bytes from a file, which has to be as long as they say. Throws program::DamagedError.
std::string read_header_bytes(const std::filesystem::path& file);
/// Throws program::DamagedError; `file` is for messages.
Header parse(const std::filesystem::path& file, const std::string& bytes);

/// A block's line in the table behind the header.
struct Entry {
  std::int64_t block = 0;  ///< Grid::block_id
  std::uint32_t sites = 0;
  std::uint32_t crc = 0;  ///< of its values
};
static_assert(sizeof(Entry) == 16);

/// A site's numbers: what arrives along each velocity of the lattice, then velocity and density, and with D3Q27 the
/// correction of advection (three, 0 where advection is plain).
constexpr bool has_correction(std::size_t directions) { return directions == 27; }
constexpr std::size_t bytes_of_site(std::size_t directions) {
  return (directions + 4 + (has_correction(directions) ? 3 : 0)) * sizeof(double);
}
void pack(const lattice::SiteState& state, std::size_t directions, std::byte* to);
lattice::SiteState unpack(const std::byte* from, std::size_t directions);

/// A block's values: the numbers of each site, then a lattice::OpeningSiteState of each one at an opening, then, where
/// there are averages, a WallAverages::Sum of each one beside the wall.
constexpr std::size_t bytes_of(const BlockPlace& block, std::size_t directions, bool averages) {
  return block.sites * bytes_of_site(directions) + block.openings * sizeof(lattice::OpeningSiteState) +
         (averages ? block.walls * sizeof(WallAverages::Sum) : 0);
}

/// Where things lie in the file.
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

/// What a checkpoint of a case depends on, for people to compare: a file goes on only where all lines are the same.
std::string settings_of(const Case& c, const Scaling& scaling, const BlockPlaces& places, std::uint64_t hash);

}  // namespace weft::flow::checkpoint
