// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/gmy_domain.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::hemelb {

namespace {

using geometry::Cut, geometry::link_index;

// In HemeLB's order of links x is slowest, in weft's z.
constexpr std::array<int, 26> make_order() {
  std::array<int, 26> order{};
  std::size_t i = 0;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x != 0 || y != 0 || z != 0) order[i++] = link_index(x, y, z);
  return order;
}
constexpr auto order = make_order();

std::string where(const XdrReader& in, const geometry::Position& p) {
  return fmt::format(", uncompressed byte {}, site ({}, {}, {})", in.at() - 4, p[0], p[1], p[2]);
}

}  // namespace

BlockReader::BlockReader(const Gmy& gmy, const OpeningCounts& openings) : gmy_(gmy), openings_(openings) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int16_t>::max());
  if (std::uint64_t{openings.inlets} + openings.outlets > most)
    throw InputError(
        fmt::format("{}: The case has {} inlets and {} outlets (at most {} in all are allowed). Remove some.",
                    gmy.file.string(), openings.inlets, openings.outlets, most));
}

void BlockReader::inflate(std::span<const std::byte> packed, const BlockRecord& record, const std::string& what) {
  const auto width = std::uint64_t{gmy_.block_width};
  constexpr std::uint64_t most_of_a_site = 4 + 26 * 12 + 16;
  constexpr std::uint64_t most_inflation = 1032;  // the limit of deflate
  const auto most = std::min(width * width * width * most_of_a_site, most_inflation * packed.size());
  if (record.inflated > most)
    throw InputError(fmt::format(
        "{} states {} bytes uncompressed (at most {} are possible: the file is damaged). Generate it again.", what,
        record.inflated, most));
  inflated_.resize(record.inflated);
  auto size = static_cast<uLongf>(inflated_.size());
  const int status = uncompress(reinterpret_cast<Bytef*>(inflated_.data()), &size,
                                reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  if (status != Z_OK || size != inflated_.size())
    throw InputError(
        fmt::format("{} can't be uncompressed to its {} bytes (zlib: {}; the file is damaged). Generate it again.",
                    what, record.inflated, zError(status)));
}

void BlockReader::read(std::span<const std::byte> packed, const BlockRecord& record, const geometry::Position& first,
                       const geometry::Columns& wanted, geometry::GivenSites& sites) {
  const auto width = static_cast<std::int32_t>(gmy_.block_width);
  const auto what =
      fmt::format("{}: block ({}, {}, {})", gmy_.file.string(), first[0] / width, first[1] / width, first[2] / width);
  inflate(packed, record, what);
  XdrReader in(inflated_, what);
  std::uint32_t found = 0;
  geometry::Position p{};
  for (p[0] = first[0]; p[0] < first[0] + width; ++p[0])
    for (p[1] = first[1]; p[1] < first[1] + width; ++p[1])
      for (p[2] = first[2]; p[2] < first[2] + width; ++p[2]) {
        const auto type = in.whole();
        if (type > 1)
          throw InputError(
              fmt::format("{}{}: The type is {} (0 is solid, 1 fluid: the file is damaged). Generate it again.", what,
                          where(in, p), type));
        if (type == 0) continue;
        ++found;
        const bool inside =
            p[0] >= wanted.low[0] && p[0] < wanted.high[0] && p[1] >= wanted.low[1] && p[1] < wanted.high[1];
        read_links(in, what, p, inside, sites);
      }
  if (found != record.sites)
    throw InputError(
        fmt::format("{} has {} fluid sites, but the table states {} (the file is damaged). Generate it again.", what,
                    found, record.sites));
  if (in.left() > 0)
    throw InputError(
        fmt::format("{} has {} bytes too many (the file is damaged). Generate it again.", what, in.left()));
}

void BlockReader::read_links(XdrReader& in, const std::string& what, const geometry::Position& p, bool wanted,
                             geometry::GivenSites& sites) const {
  std::uint32_t fluid = 0;
  std::array<Cut, 27> cuts{};  // by link, since weft's order differs
  for (const int link : order) {
    const auto type = in.whole();
    if (type == 0) {
      fluid |= 1U << static_cast<unsigned>(link);
      continue;
    }
    if (type > 3)
      throw InputError(fmt::format(
          "{}{}: A link has type {} (0 is none, 1 wall, 2 inlet, 3 outlet: the file is damaged). Generate it again.",
          what, where(in, p), type));
    std::int16_t opening = Cut::wall;
    if (type > 1) {
      const bool is_inlet = type == 2;
      const auto number = in.whole(), count = is_inlet ? openings_.inlets : openings_.outlets;
      if (number >= count)
        throw InputError(
            fmt::format("{}{}: A link is cut at {} {} (counted from 0), but the case has {}. Add the missing ones in "
                        "the file's order.",
                        what, where(in, p), is_inlet ? "inlet" : "outlet", number, count));
      opening = static_cast<std::int16_t>(is_inlet ? number : openings_.inlets + number);
    }
    const float distance = in.single();
    if (!(distance >= 0 && distance <= 1))
      throw InputError(fmt::format(
          "{}{}: A link is cut at {} of its length (0 to 1 is possible: the file is damaged). Generate it again.", what,
          where(in, p), distance));
    // A site on the wall itself: weft's cuts lie beyond their site.
    cuts[static_cast<std::size_t>(link)] = {0, static_cast<std::uint8_t>(link), opening,
                                            std::max(distance, std::numeric_limits<float>::min())};
  }
  if (gmy_.has_normals()) {
    const auto there = in.whole();
    if (there > 1)
      throw InputError(
          fmt::format("{}{}: There are {} wall normals (0 or 1 is possible: the file is damaged). Generate it again.",
                      what, where(in, p), there));
    for (std::uint32_t i = 0; i < 3 * there; ++i) in.whole();
  }
  if (!wanted) return;
  const auto site = static_cast<std::uint32_t>(sites.positions.size());
  sites.positions.push_back(p);
  sites.fluid.push_back(fluid);
  for (int link = 0; link < 27; ++link) {
    if (link == link_index(0, 0, 0) || (fluid >> static_cast<unsigned>(link) & 1U) != 0) continue;
    sites.cuts.push_back(cuts[static_cast<std::size_t>(link)]);
    sites.cuts.back().site = site;
  }
}

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
