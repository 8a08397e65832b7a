// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/gmy_domain.hpp"

#include <algorithm>

#include "hemelb/gmy_block.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::hemelb {

namespace {

using geometry::Columns, geometry::GivenSites, geometry::Opening;

OpeningCounts count(const std::vector<Opening>& openings) {
  OpeningCounts counts;
  for (const auto& opening : openings) ++(opening.kind == Opening::Kind::inlet ? counts.inlets : counts.outlets);
  return counts;
}

// The columns of blocks that these columns of sites intersect, ascending, each once.
std::vector<std::uint64_t> touched(const Gmy& gmy, std::span<const Columns> columns) {
  std::vector<std::uint64_t> result;
  const auto width = static_cast<std::int32_t>(gmy.block_width);
  for (const auto& c : columns)
    for (auto x = c.low[0] / width; x * width < c.high[0]; ++x)
      for (auto y = c.low[1] / width; y * width < c.high[1]; ++y)
        result.push_back(static_cast<std::uint64_t>(x) * gmy.blocks[1] + static_cast<std::uint64_t>(y));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// The part of the table that each rank reads.
class TableShares {
 public:
  TableShares(const Gmy& gmy, int ranks)
      : columns_(gmy.columns()),
        each_((columns_ + static_cast<std::uint64_t>(ranks) - 1) / static_cast<std::uint64_t>(ranks)) {}
  std::size_t rank_of(std::uint64_t column) const { return static_cast<std::size_t>(column / each_); }
  std::uint64_t first(int rank) const { return std::min(each_ * static_cast<std::uint64_t>(rank), columns_); }

 private:
  std::uint64_t columns_, each_;
};

// For each column of blocks, the byte at which its first block begins. Collective.
std::vector<std::uint64_t> find_columns(Transport& transport, const Gmy& gmy, GmyFile& file,
                                        const std::vector<std::uint64_t>& wanted) {
  const TableShares shares(gmy, transport.size());
  const auto first = shares.first(transport.rank()), last = shares.first(transport.rank() + 1);
  std::vector<std::uint64_t> starts;
  std::uint64_t bytes = 0;
  together(transport, [&] {
    std::vector<BlockRecord> records;
    for (auto column = first; column < last; ++column) {
      starts.push_back(bytes);
      file.column(column, records);
      for (const auto& record : records) bytes += record.bytes;
    }
  });
  std::uint64_t before = gmy.blocks_at();
  const auto all = all_gather(transport, bytes);
  for (int r = 0; r < transport.rank(); ++r) before += all[static_cast<std::size_t>(r)];

  std::vector<std::vector<std::uint64_t>> questions(static_cast<std::size_t>(transport.size()));
  for (const auto column : wanted) questions[shares.rank_of(column)].push_back(column);
  auto answers = all_to_all(transport, questions);
  for (auto& part : answers)
    for (auto& column : part) column = before + starts[column - first];
  answers = all_to_all(transport, answers);
  std::vector<std::uint64_t> result;
  for (const auto& part : answers)
    result.insert(result.end(), part.begin(), part.end());  // in rank order, therefore ascending
  return result;
}

}  // namespace

GivenSites read_columns(Transport& transport, const Gmy& gmy, const std::vector<Opening>& openings,
                        std::span<const Columns> columns) {
  std::optional<GmyFile> file;
  together(transport, [&] { file.emplace(gmy); });
  const auto wanted = touched(gmy, columns);
  const auto starts = find_columns(transport, gmy, *file, wanted);
  GivenSites sites;
  together(transport, [&] {
    BlockReader reader(gmy, count(openings));
    std::vector<BlockRecord> records;
    std::vector<std::byte> packed;
    const auto width = static_cast<std::int32_t>(gmy.block_width);
    for (const auto& c : columns)
      for (const auto column : touched(gmy, std::span(&c, 1))) {
        auto at =
            starts[static_cast<std::size_t>(std::lower_bound(wanted.begin(), wanted.end(), column) - wanted.begin())];
        file->column(column, records);
        for (std::size_t z = 0; z < records.size(); ++z) {
          if (records[z].sites > 0) {
            file->bytes(at, records[z].bytes, packed);
            const geometry::Position first{static_cast<std::int32_t>(column / gmy.blocks[1]) * width,
                                           static_cast<std::int32_t>(column % gmy.blocks[1]) * width,
                                           static_cast<std::int32_t>(z) * width};
            reader.read(packed, records[z], first, c, sites);
          }
          at += records[z].bytes;
        }
      }
  });
  return sites;
}

geometry::Domain make_domain(Transport& transport, const Gmy& gmy, const Placement& placement,
                             const std::vector<Opening>& openings, geometry::SetupReport& report) {
  const geometry::Grid grid{placement.first_site, placement.voxel, gmy.extent()};
  const auto read = [&](std::span<const Columns> columns) { return read_columns(transport, gmy, openings, columns); };
  return geometry::make_domain(transport, grid, openings, gmy.file.string(), read, report);
}

}  // namespace weft::hemelb
