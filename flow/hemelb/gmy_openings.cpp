// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/gmy_openings.hpp"

#include <algorithm>

#include "geometry/given_sites.hpp"
#include "hemelb/gmy_block.hpp"

namespace weft::hemelb {

namespace {

using geometry::operator-, geometry::operator*, geometry::operator+;

void measure(const geometry::GivenSites& sites, const std::vector<geometry::Opening>& openings,
             std::vector<double>& radius) {
  for (const auto& cut : sites.cuts) {
    if (cut.opening == geometry::Cut::wall) continue;
    const auto o = static_cast<std::size_t>(cut.opening);
    const auto& p = sites.positions[cut.site];
    const auto step = geometry::link_offset(cut.link);
    geometry::Vector away{};
    for (std::size_t k = 0; k < 3; ++k)
      away[k] = p[k] + static_cast<double>(cut.distance) * step[k] - openings[o].centre[k];
    away = away - geometry::dot(away, openings[o].normal) * openings[o].normal;
    radius[o] = std::max(radius[o], geometry::length(away));
  }
}

}  // namespace

GmyOpenings measure_openings(const Gmy& gmy, const std::vector<geometry::Opening>& openings) {
  OpeningCounts counts;
  for (const auto& opening : openings)
    ++(opening.kind == geometry::Opening::Kind::inlet ? counts.inlets : counts.outlets);
  GmyOpenings result;
  result.radius.assign(openings.size(), 0);
  GmyFile file(gmy);
  BlockReader reader(gmy, counts);
  const auto extent = gmy.extent();
  const geometry::Columns all{{0, 0}, {extent[0], extent[1]}};
  const auto width = static_cast<std::int32_t>(gmy.block_width);
  std::vector<BlockRecord> records;
  std::vector<std::byte> packed;
  auto at = gmy.blocks_at();
  for (std::uint64_t column = 0; column < gmy.columns(); ++column) {
    file.column(column, records);
    for (std::size_t z = 0; z < records.size(); ++z) {
      if (records[z].sites > 0) {
        file.bytes(at, records[z].bytes, packed);
        geometry::GivenSites sites;
        reader.read(packed, records[z],
                    {static_cast<std::int32_t>(column / gmy.blocks[1]) * width,
                     static_cast<std::int32_t>(column % gmy.blocks[1]) * width, static_cast<std::int32_t>(z) * width},
                    all, sites);
        result.sites += static_cast<std::int64_t>(sites.positions.size());
        measure(sites, openings, result.radius);
      }
      at += records[z].bytes;
    }
  }
  return result;
}

}  // namespace weft::hemelb
