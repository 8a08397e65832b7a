// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <future>
#include <optional>
#include <utility>

#include "pack/archive.hpp"
#include "pack/input.hpp"
#include "pack/output.hpp"
#include "pack/pack.hpp"
#include "program/await_root.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {
namespace {

// The part of content [from, from + out.size()) that lies in the range.
View cut(View out, std::uint64_t from, const Range& range) {
  const auto first = std::clamp(range.from, from, from + out.size()) - from;
  const auto last = std::clamp(range.to, from, from + out.size()) - from;
  return out.subspan(first, last - first);
}

Range check(const Range& range, std::uint64_t content_bytes, const std::string& name) {
  if (range.from > range.to)
    throw InputError("The range " + std::to_string(range.from) + ":" + std::to_string(range.to) +
                     " ends before it begins. Give FROM:TO with FROM at most TO.");
  if (range.from > content_bytes || (range.to > content_bytes && range.to != Codec::unknown))
    throw InputError(name + ": The file has no bytes " + std::to_string(range.from) + " to " +
                     (range.to == Codec::unknown ? "its end" : std::to_string(range.to)) + " (its content has " +
                     std::to_string(content_bytes) + " bytes). Give a range inside of it.");
  return range;
}

// The data to find and cut one part, sent by rank 0 to the rank that unpacks it: as in Block, `from` and `bytes` are
// the part in the archive.
struct Parts {
  std::vector<Entry> entries;  // those in the range
  std::size_t next = 0;

  std::optional<Block> take() {
    if (next == entries.size()) return {};
    const auto& e = entries[next];
    return Block{.index = next++, .from = e.at, .bytes = e.bytes, .expected = e.size, .note = e.crc, .place = e.from};
  }
};

// End to end on rank 0, with little memory.
// `first`: bytes of the input that were read before.
void unpack_alone(const std::string& name, Codec& codec, View first, Input& input, Output& output, const Range& range,
                  std::optional<program::ProgressBar>& bar, Packed& packed) {
  std::uint64_t from = 0;
  const auto read = [&](std::span<std::byte> room) {
    const auto before = std::min(first.size(), room.size());
    std::copy_n(first.begin(), before, room.begin());
    first = first.subspan(before);
    const auto n = before + input.read_next(room.subspan(before));
    packed.in_bytes += n;
    return n;
  };
  constexpr std::size_t at_once = std::size_t{1} << 20;
  Bytes full, being_written;
  std::future<void> writing;  // beside the decompression
  const auto flush = [&] {
    if (writing.valid()) writing.get();
    std::swap(full, being_written);
    full.clear();
    writing = std::async(std::launch::async, [&] { output.append(being_written); });
  };
  const auto write = [&](View out) {
    const auto piece = cut(out, from, range);
    full.insert(full.end(), piece.begin(), piece.end());
    if (full.size() >= at_once) flush();
    from += out.size();
    packed.out_bytes += piece.size();
    if (bar) bar->update(static_cast<std::int64_t>(packed.in_bytes));
  };
  try {
    codec.decompress_stream(read, write);
    flush();
    writing.get();
  } catch (const InputError&) {
    throw;
  } catch (const Error& e) {
    throw InputError(name + ": " + e.what());
  }
  check({std::min(range.from, range.to), range.to}, from, name);
}

}  // namespace

Packed unpack(Transport& world, const UnpackOptions& o) {
  const auto name = o.file.string();
  const double started = now_seconds();
  const bool root = world.rank() == 0;
  Archive archive;
  Parts parts;
  Range range = o.range.value_or(Range{0, Codec::unknown});
  std::uint64_t total = 0;
  std::unique_ptr<Input> input;
  const bool each_reads = open_input(world, {name}, input);
  Bytes first;
  on_root(world, [&] {
    if (!o.test) check_apart(o.out, o.file);
    if (!input->plain()) {  // from end to end
      if (range.from > range.to) check(range, 0, name);
      first.resize(first_bytes_of_archive);
      first.resize(input->read_next(first));
      archive.format = &format_of_archive(name, first);
      archive.large_parts = true;
      return;
    }
    archive = read_archive(o.file, o.test ? Codec::unknown : o.range ? std::min(o.range->to, Codec::unknown - 1) : 0);
    if (range.from > range.to) check(range, 0, name);
    if (archive.sizes_known) check(range, archive.content_bytes(), name);
    const bool choose = o.range && archive.sizes_known;
    for (const auto& e : archive.entries)
      if (!choose || (e.from < range.to && e.from + e.size > range.from)) parts.entries.push_back(e);
    for (const auto& e : parts.entries) total += e.bytes;
    if (!o.test && archive.format->kind == Codec::Kind::bzip2) check_apart(o.out, index_path(o.file));
  });
  // If sizes are unknown, or one part is large, one rank reads everything and cuts the range.
  const auto shape =
      broadcast(world, std::vector<int>{root ? static_cast<int>(archive.format->kind) : 0,
                                        root && (archive.large_parts || (o.range && !archive.sizes_known)) ? 1 : 0,
                                        archive.xz_check, archive.sizes_known ? 1 : 0});
  const auto file_bytes = broadcast(world, std::vector<std::uint64_t>{archive.file_bytes}).front();
  const auto kind = static_cast<Codec::Kind>(shape[0]);
  const auto codec = make_codec(kind, format_of(kind).default_level, shape[2]);
  Packed packed{.one_rank = shape[1] == 1 || (root && parts.entries.size() < 2)};
  // Only rank 0 has the range. A test needs no results on rank 0.
  auto way = shape[1] == 1 || o.range ? MapOptions::Way::gather : o.test ? MapOptions::Way::parallel : o.way;
  std::optional<Output> target;
  if (o.test)
    target.emplace(world);
  else
    target.emplace(world, o.out, way, o.overwrite, access_of(o.file));
  auto& output = *target;
  auto bar = make_bar(o.bar && root, total, packed.out_bytes);

  if (!o.range && !o.test) way = output.share();
  if (shape[1] == 1) {
    program::await_root(world, [&] {
      const double from = now_seconds();
      unpack_alone(name, *codec, first, *input, output, range, bar, packed);
      if (o.timeline != nullptr) o.timeline->add(o.timeline->track("block"), Activity::compute, from, now_seconds());
    });
  } else {
    Work work;
    const auto read = [&](const Block& block, Bytes& in) {
      in.resize(block.bytes);
      input->read(block.from, in);
    };
    work.next = [&](Bytes& data) {
      const auto block = parts.take();
      if (block && !each_reads) read(*block, data);
      return block;
    };
    if (each_reads) work.read = read;
    const bool places_known = shape[3] == 1 && way == MapOptions::Way::parallel;
    if (places_known) way = MapOptions::Way::gather;  // of nothing
    work.transform = [&](const Block& block, View in, Bytes& out) {
      try {
        codec->set_ends_file(block.from + block.bytes == file_bytes);
        codec->set_crc(static_cast<std::uint32_t>(block.note));
        if (!places_known) return codec->decompress(in, block.expected, out);
        out.clear();
        auto at = block.place;
        codec->decompress_to(in, block.expected, [&](View piece) {
          output.write(at, piece);
          at += piece.size();
        });
      } catch (const InputError&) {
        throw;
      } catch (const Error& e) {
        throw InputError(name + ": part at byte " + std::to_string(block.from) + ": " + e.what());
      }
    };
    output.serve(work, [&](const Block& block, std::uint64_t bytes) {
      packed.in_bytes += block.bytes;
      packed.out_bytes += places_known ? block.expected : bytes;
      if (bar) bar->update(static_cast<std::int64_t>(packed.in_bytes));
    });
    if (o.range) {
      const auto whole = work.in_order;
      work.in_order = [&, whole](const Block& block, std::uint64_t at, std::uint64_t, View out) {
        const auto piece = cut(out, parts.entries[block.index].from, range);
        whole(block, at, piece.size(), piece);
      };
    }
    Progress progress(world, detail::progress_options(world, o.progress));
    ordered_map(world, work, detail::map_options(way, o.window, progress, o.timeline));
  }
  if (bar) bar->finish(static_cast<std::int64_t>(packed.in_bytes));
  if (const auto rest = all_reduce(world, codec->passed_over(), sum<std::uint64_t>()); rest > 0 && root)
    std::fprintf(stderr, "warning: %s: The last %llu bytes are not %s data and were ignored.\n", name.c_str(),
                 static_cast<unsigned long long>(rest), format_of(kind).name);
  output.close_shared();
  on_root(world, [&] { output.finish(); });
  packed.blocks = parts.entries.size();
  packed.seconds = now_seconds() - started;
  return packed;
}

Listing list(const std::filesystem::path& file) {
  const auto archive = read_archive(file);
  Listing listing{.format = archive.format->name, .parts = archive.entries.size(), .bytes = archive.file_bytes};
  if (archive.sizes_known) listing.content_bytes = archive.content_bytes();
  return listing;
}

}  // namespace weft::pack
