// SPDX-License-Identifier: BSD-3-Clause
#include "amr/files/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "amr/files/amr_writer.hpp"
#include "amr/files/checkpoint_file.hpp"
#include "amr/hierarchy.hpp"
#include "program/bytes.hpp"
#include "program/checkpoints.hpp"
#include "program/shared_file.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::amr {

namespace fs = std::filesystem;
using namespace checkpoint;

namespace {

struct Sum {
  std::uint64_t place;  // position in the file
  std::uint32_t crc;
};

/// Writes this rank's blocks and returns their checksums.
std::vector<Sum> put_blocks(program::SharedFile& out, const Hierarchy& h, int fields, std::int64_t from) {
  const auto values =
      static_cast<std::size_t>(fields) * static_cast<std::size_t>(h.shape().n * h.shape().n * h.shape().n);
  std::vector<Sum> sums;
  std::size_t before = 0;  // blocks of coarser levels
  for (int l = 0; l < h.levels(); before += h.tree().level(l).size(), ++l)
    for (const auto& run : runs_of(h, l)) {
      const auto place = before + run.first;
      out.write_rows<double>(from + static_cast<std::int64_t>(place * values * sizeof(double)), run.count, values,
                             [&](std::size_t b, double* to) {
                               for_each_row(
                                   h.local(l)[run.local + b], fields, to,
                                   [](const double* cells, double* row, int n) { std::copy_n(cells, n, row); });
                               sums.push_back({place + b, program::crc32(std::as_bytes(std::span(to, values)))});
                             });
    }
  return sums;
}

Header header_of(const Hierarchy& h, const Identity& identity, std::int64_t step, double time) {
  Header header{.step = step, .time = time, .identity = identity, .blocks = {}};
  for (int l = 0; l < h.levels(); ++l)
    for (const auto& block : h.tree().level(l)) header.blocks.push_back({block.key, 0});
  return header;
}

/// Reads this rank's blocks.
void fill(const Hierarchy& h, const fs::path& file, const Header& header, std::size_t header_bytes) {
  BlockReader reader(file, header, header_bytes);
  std::vector<double> cells(header.block_bytes() / sizeof(double));
  const DamagedError no_tree(file, "its blocks make no tree");
  if (h.tree().blocks() != header.blocks.size()) throw no_tree;
  for (std::size_t place = 0; place < header.blocks.size(); ++place) {
    const auto& key = header.blocks[place].key;
    const auto index = h.tree().find(key);
    if (!index) throw no_tree;
    const int local = h.local_of(key.level, *index);
    if (local < 0) continue;
    reader.read(place, cells);
    for_each_row(h.local(key.level)[static_cast<std::size_t>(local)], header.identity.saved_fields, cells.data(),
                 [](double* to, const double* row, int n) { std::copy_n(row, n, to); });
  }
}

/// Nothing if the run can't restart from this file, with the reason in `damage`.
std::optional<Restored> try_restore(Transport& transport, const fs::path& file, const Identity& identity, int fields,
                                    Curve curve, std::string& damage) {
  std::string bytes;
  damage = program::damage_of(transport, [&] {
    if (transport.rank() == 0) bytes = read_header_bytes(file);
  });
  if (!damage.empty()) return {};
  bytes = broadcast(transport, bytes);
  const auto header = parse(file, bytes);
  std::vector<BlockKey> refined;
  damage = program::damage_of(transport, [&] {
    compare(file, header.identity, identity);
    refined = refined_blocks(file, header);
  });
  if (!damage.empty()) return {};
  Hierarchy hierarchy(transport, Tree(identity.domain, refined, transport.size(), curve), fields);
  damage = program::damage_of(transport, [&] { fill(hierarchy, file, header, bytes.size()); });
  if (!damage.empty()) return {};
  return Restored{std::move(hierarchy), header.step, header.time, file, {}};
}

}  // namespace

CheckpointWriter::CheckpointWriter(mpi::Communicator& communicator, fs::path directory, Identity identity)
    : communicator_(communicator), directory_(std::move(directory)), identity_(std::move(identity)) {
  on_root(communicator, [&] {
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) throw cannot_write(directory_, error.message());
  });
}

fs::path CheckpointWriter::write(std::int64_t step, double time, const Hierarchy& hierarchy) {
  const auto file = program::checkpoint_file(directory_, step);
  auto header = header_of(hierarchy, identity_, step, time);
  const auto cells_at = static_cast<std::int64_t>(bytes_of(header).size());
  const auto bytes = cells_at + static_cast<std::int64_t>(header.blocks.size() * header.block_bytes());
  program::write_whole(
      communicator_, file, [&](const fs::path& unfinished) { program::reserve_room(file, unfinished, bytes); },
      [&](program::SharedFile& out) {
        std::vector<Sum> mine;
        together(communicator_, [&] { mine = put_blocks(out, hierarchy, identity_.saved_fields, cells_at); });
        const auto all = gather(communicator_, mine);
        on_root(communicator_, [&] {
          for (const auto& sums : all)
            for (const auto& sum : sums) header.blocks[sum.place].crc = sum.crc;
          const auto finished = bytes_of(header);
          out.write(0, std::as_bytes(std::span(finished)));
        });
      });
  on_root(communicator_, [&] { program::remove_other_checkpoints(directory_, step); });
  return file;
}

Restored restore(Transport& transport, const fs::path& from, const Identity& identity, int fields, Curve curve) {
  return program::restore_from(transport, from, [&](const fs::path& file, std::string& why) {
    return try_restore(transport, file, identity, fields, curve, why);
  });
}

}  // namespace weft::amr
