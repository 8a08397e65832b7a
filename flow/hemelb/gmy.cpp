// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/gmy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <limits>
#include <system_error>

#include "geometry/given_sites.hpp"
#include "hemelb/gmy_domain.hpp"
#include "weft/error.hpp"
#include "weft/file/read_whole.hpp"

namespace weft::hemelb {

namespace {

constexpr std::uint32_t hemelb_magic = 0x686C6221, gmy_magic = 0x676D7904;
constexpr std::uint64_t record_bytes = 12;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw InputError(file.string() + ": " + what);
}
[[noreturn]] void refuse(const std::filesystem::path& file, std::uint64_t byte, const std::string& what) {
  refuse(file, fmt::format("byte {}: {}", byte, what));
}

void check_size(const Gmy& gmy) {
  constexpr std::uint32_t widest = 32;  // an uncompressed block stays small
  if (gmy.block_width == 0 || gmy.block_width > widest)
    refuse(gmy.file, 24,
           fmt::format(
               "The blocks have {} sites along an edge (weft reads 1 to {}; HemeLB writes 8). Generate the file again.",
               gmy.block_width, widest));
  const auto room = (gmy.file_bytes - gmy.table_at()) / record_bytes;
  std::uint64_t count = 1;
  for (const auto n : gmy.blocks) {
    if (n == 0)
      refuse(gmy.file, 12, "There are no blocks along an axis (nothing would flow). Generate the file again.");
    if (count > room / n)
      refuse(gmy.file, 12,
             fmt::format("There are {} x {} x {} blocks, but the file has only {} bytes (the table alone has {} per "
                         "block). The file is truncated or damaged; generate it again.",
                         gmy.blocks[0], gmy.blocks[1], gmy.blocks[2], gmy.file_bytes, record_bytes));
    count *= n;
  }
  constexpr double most_along = 1U << 30U, most_columns = 2e9;
  std::array<double, 3> sites{};
  for (std::size_t k = 0; k < 3; ++k) sites[k] = static_cast<double>(gmy.blocks[k]) * gmy.block_width;
  if (sites[0] > most_along || sites[1] > most_along || sites[2] > most_along || sites[0] * sites[1] > most_columns)
    refuse(gmy.file, 12,
           fmt::format("The lattice has {} x {} x {} sites (at most 2^30 along each axis and 2e9 columns are allowed). "
                       "Generate the file with a larger voxel.",
                       sites[0], sites[1], sites[2]));
}

}  // namespace

std::array<std::int32_t, 3> Gmy::extent() const {
  const auto along = [&](std::size_t k) { return static_cast<std::int32_t>(blocks[k] * block_width); };
  return {along(0), along(1), along(2)};
}

Gmy read_gmy(const std::filesystem::path& file) {
  Gmy gmy;
  gmy.file = file;
  std::error_code error;
  errno = 0;
  const auto size = std::filesystem::is_regular_file(file, error) ? std::filesystem::file_size(file, error) : 0;
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream || !std::filesystem::is_regular_file(file, error)) {
    const auto why = std::filesystem::is_directory(file) ? std::make_error_code(std::errc::is_a_directory)
                     : error                             ? error
                                                         : std::error_code(errno, std::generic_category());
    throw cannot_read(file, why.message(), "Give a geometry file of HemeLB (.gmy).");
  }
  gmy.file_bytes = size;
  std::array<std::byte, 64> bytes{};
  stream.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  const auto name = file.string() + ": its preamble";
  XdrReader in({bytes.data(), static_cast<std::size_t>(stream.gcount())}, name);
  if (in.left() < 4 || in.whole() != hemelb_magic)
    refuse(file, "This is not a HemeLB file (the first four bytes are not \"hlb!\"). Give a .gmy file.");
  if (in.whole() != gmy_magic) refuse(file, 4, "This is a HemeLB file, but not a geometry. Give a .gmy file.");
  gmy.version = in.whole();
  if (gmy.version < 2 || gmy.version > 4)
    refuse(
        file, 8,
        fmt::format("The version is {} (weft reads 2, 3 and 4). Generate the file again with HemeLB's geometry tool.",
                    gmy.version));
  for (auto& n : gmy.blocks) n = in.whole();
  gmy.block_width = in.whole();
  if (gmy.version < 4) {
    gmy.voxel = in.real();
    gmy.first_site.emplace();
    for (auto& x : *gmy.first_site) x = in.real();
    if (!(*gmy.voxel > 0) || !std::isfinite(*gmy.voxel) || !std::isfinite(geometry::length(*gmy.first_site)))
      refuse(file, 28,
             fmt::format("The voxel is {} m and site (0, 0, 0) is at ({}, {}, {}) (all must be finite, the voxel "
                         "positive). Generate the file again.",
                         *gmy.voxel, (*gmy.first_site)[0], (*gmy.first_site)[1], (*gmy.first_site)[2]));
  }
  if (in.whole() != 0)
    refuse(file, in.at() - 4, "The preamble does not end with 0 (the file is damaged). Generate it again.");
  check_size(gmy);
  return gmy;
}

GmyFile::GmyFile(const Gmy& gmy) : gmy_(gmy), stream_(gmy.file, std::ios::binary) {
  if (!stream_) refuse(gmy.file, "The file can't be read. Check its permissions.");
}

void GmyFile::column(std::uint64_t number, std::vector<BlockRecord>& records) {
  const auto count = record_bytes * gmy_.blocks[2];
  bytes(gmy_.table_at() + number * count, count, table_);
  const auto name = gmy_.file.string() + ": its table";
  XdrReader in(table_, name);
  records.resize(gmy_.blocks[2]);
  for (auto& record : records) {
    record.sites = in.whole();
    record.bytes = in.whole();
    record.inflated = in.whole();
  }
}

void GmyFile::bytes(std::uint64_t at, std::uint64_t count, std::vector<std::byte>& to) {
  if (at > gmy_.file_bytes || count > gmy_.file_bytes - at)
    refuse(gmy_.file, at,
           fmt::format(
               "{} bytes are expected here, but the file has only {} (it is truncated or damaged). Generate it again.",
               count, gmy_.file_bytes));
  to.resize(count);
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(at));
  stream_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(count));
  if (!stream_) refuse(gmy_.file, at, fmt::format("{} bytes can't be read. Check the file system.", count));
}

float XdrReader::single() { return std::bit_cast<float>(whole()); }
double XdrReader::real() { return std::bit_cast<double>(take(8)); }

std::uint64_t XdrReader::take(std::size_t count) {
  if (left() < count)
    throw InputError(fmt::format("{} ends after {} bytes (the file is truncated or damaged). Generate it again.", what_,
                                 bytes_.size()));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | static_cast<std::uint64_t>(bytes_[at_++]);
  return value;
}

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
