// SPDX-License-Identifier: BSD-3-Clause
#include "amr/files/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <tuple>

#include "amr/tree.hpp"
#include "program/header_fields.hpp"

namespace weft::amr::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr const char* magic = "weftAMR2";

// One function for writing and reading, so that they can't differ.
template <class AnyHeader, class Fields>
void each_field(AnyHeader& header, Fields& field) {
  auto& domain = header.identity.domain;
  field(header.step);
  field(header.time);
  for (auto& n : domain.blocks) field(n);
  for (auto& p : domain.periodic) field(p);
  field(domain.cells);
  for (auto& x : domain.low) field(x);
  field(domain.spacing);
  field(header.identity.saved_fields);
  field(header.identity.settings);
  constexpr std::size_t entry_bytes = 5 * sizeof(std::int32_t);
  field.size_of(header.blocks, entry_bytes);
  for (auto& entry : header.blocks) {
    field(entry.key.level);
    for (auto& x : entry.key.at) field(x);
    field(entry.crc);
  }
}

std::string reason() { return errno != 0 ? std::strerror(errno) : "it can't be read"; }

}  // namespace

std::size_t Header::block_bytes() const {
  const auto n = static_cast<std::size_t>(identity.domain.cells);
  return static_cast<std::size_t>(identity.saved_fields) * n * n * n * sizeof(double);
}

std::string bytes_of(const Header& header) {
  program::WrittenFields fields;
  each_field(header, fields);
  return program::seal_header(magic, fields.bytes());
}

std::string read_header_bytes(const fs::path& file) {
  auto bytes = program::read_sealed_header(file, magic, "weft wave");
  const auto header = parse(file, bytes);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) throw DamagedError(file, error.message());
  if (header.blocks.size() > size / header.block_bytes())
    throw DamagedError(file, fmt::format("it has {} bytes, too few for {} blocks", size, header.blocks.size()));
  if (size != bytes.size() + header.blocks.size() * header.block_bytes())
    throw DamagedError(
        file, fmt::format("it has {} bytes, not {}", size, bytes.size() + header.blocks.size() * header.block_bytes()));
  return bytes;
}

Header parse(const fs::path& file, const std::string& bytes) try {
  Header header;
  program::ReadFields read(bytes, program::header_content_at);
  each_field(header, read);
  const auto cells = header.identity.domain.cells, fields = header.identity.saved_fields;
  constexpr int most = 1 << 12;  // so that the bytes of a block don't overflow, whatever the file contains
  if (header.step < 0 || cells < 1 || cells > most || fields < 1 || fields > most)
    throw DamagedError(
        file, fmt::format("its header has step {}, {} fields, blocks of {}^3 cells", header.step, fields, cells));
  return header;
} catch (const program::ByteReader::EndError&) {
  throw DamagedError(file, "its header ends too early");
}

std::vector<BlockKey> refined_blocks(const fs::path& file, const Header& header) {
  const DamagedError no_tree(file, "its blocks make no tree");
  const auto& domain = header.identity.domain;
  std::vector<BlockKey> refined;
  for (const auto& [key, crc] : header.blocks) {
    if (key.level < 0 || key.level > Tree::finest_level) throw no_tree;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto along = std::min(std::int64_t{domain.blocks[a]} << key.level, Tree::most_along);
      if (key.at[a] < 0 || key.at[a] >= along) throw no_tree;
    }
    if (key.level > 0 && key.octant() == 0) refined.push_back(key.parent());
  }
  const auto order = [](const BlockKey& k) { return std::tie(k.level, k.at); };
  std::sort(refined.begin(), refined.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  const bool doubles = std::adjacent_find(refined.begin(), refined.end()) != refined.end();
  const auto coarsest = static_cast<double>(domain.blocks[0]) * domain.blocks[1] * domain.blocks[2];
  const auto blocks = coarsest + 8 * static_cast<double>(refined.size());
  if (doubles || blocks != static_cast<double>(header.blocks.size()) || nest(domain, refined).size() != refined.size())
    throw no_tree;
  return refined;
}

void compare(const fs::path& file, const Identity& found, const Identity& wanted) {
  const auto fail = [&](const std::string& its, const std::string& ours) {
    program::fail_as_another_case(file, its, ours);
  };
  const auto box = [](const Domain& d) {
    return fmt::format("{} x {} x {} blocks of {}^3 cells from ({:g}, {:g}, {:g}) with spacing {:g}", d.blocks[0],
                       d.blocks[1], d.blocks[2], d.cells, d.low[0], d.low[1], d.low[2], d.spacing);
  };
  if (!(found.domain == wanted.domain)) {
    const auto a = box(found.domain), b = box(wanted.domain);
    if (a != b) fail(a, b);
    fail("other periodic axes", "its own");
  }
  if (found.saved_fields != wanted.saved_fields)
    fail(fmt::format("{} fields", found.saved_fields), fmt::format("{}", wanted.saved_fields));
  program::compare_settings(file, found.settings, wanted.settings);
}

BlockReader::BlockReader(const fs::path& file, const Header& header, std::size_t header_bytes)
    : file_(file), header_(&header), header_bytes_(header_bytes), stream_(file, std::ios::binary) {
  if (!stream_) throw DamagedError(file_, reason());
}

void BlockReader::read(std::size_t place, std::span<double> cells) {
  const auto bytes = std::as_writable_bytes(cells);
  errno = 0;
  if (!stream_.seekg(static_cast<std::streamoff>(header_bytes_ + place * bytes.size())) ||
      !stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw DamagedError(file_, reason());
  const auto& entry = header_->blocks[place];
  if (program::crc32(bytes) == entry.crc) return;
  const auto& at = entry.key.at;
  throw DamagedError(file_, fmt::format("the checksum of block ({}, {}, {}) of level {} is wrong", at[0], at[1], at[2],
                                        entry.key.level));
}

}  // namespace weft::amr::checkpoint
