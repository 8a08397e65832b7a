// SPDX-License-Identifier: BSD-3-Clause
#include "pack/pack.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "pack/archive.hpp"
#include "pack/container.hpp"
#include "pack/input.hpp"
#include "pack/output.hpp"
#include "program/memory.hpp"
#include "program/readable.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {
namespace {

// An output must not be an input and, unless overwriting is allowed, must not exist.
void check_outputs(const PackOptions& o) {
  const auto index = o.codec == Codec::Kind::bzip2 && o.out != "-" ? index_path(o.out) : std::filesystem::path();
  for (const auto& file : o.files) {
    check_apart(o.out, file);
    check_apart(index, file);
  }
  if (index.empty() || std::filesystem::is_other(std::filesystem::status(o.out))) return;
  if (!o.overwrite) check_absent(index);
  WholeFile::check_given_plain(index);
}

// Three copies of each block in flight: see ordered_map.
void require_memory(mpi::Communicator& world, const PackOptions& o, std::size_t block_bytes, const Input* input) {
  const auto block = static_cast<double>(block_bytes);
  double blocks = static_cast<double>(o.window + 2) * world.size(), most = block;
  if (input != nullptr && input->plain()) {  // rank 0's is valid, others may not see the files
    most = std::min(block, static_cast<double>(input->bytes()));
    blocks = std::min(blocks, std::ceil(static_cast<double>(input->bytes()) / block));
  }
  const double bytes = broadcast(world, std::vector<double>{3 * blocks * most}).front();
  program::require_memory(world, bytes,
                          "Packing in blocks of " + program::bytes_text(block) + " with a window of " +
                              std::to_string(o.window) + " on " + std::to_string(world.size()) + " ranks",
                          "Use a smaller --block or --window");
}

// The index of a replaced archive would be wrong, so it is removed first; if it is a link, its target is.
void place_with_index(Output& output, const PackOptions& o, const std::vector<Entry>& entries,
                      const std::optional<Access>& access) {
  if (std::filesystem::is_other(std::filesystem::status(o.out))) return output.finish();
  const auto file = index_path(o.out);
  WholeFile index(file, access);
  write_index(index.stream(), entries);
  if (!o.overwrite) {
    output.finish();
    return index.finish_new();
  }
  if (std::filesystem::exists(file)) std::filesystem::remove(std::filesystem::canonical(file));
  output.finish();
  index.finish();
}

}  // namespace

ProgressOptions detail::progress_options(const Transport& world, const Drive& chosen) {
  using Kind = ProgressOptions::Kind;
  if (chosen) return {.kind = *chosen};
  return {.kind = world.piece_bytes() > 0 && world.thread_multiple() ? Kind::thread : Kind::polling};
}

MapOptions detail::map_options(MapOptions::Way way, std::size_t window, Progress& progress, Timeline* timeline) {
  // Results that are sent at the end need no progress before.
  auto* driver = way == MapOptions::Way::after ? nullptr : &progress;
  return {.way = way, .window = window, .progress = driver, .timeline = timeline};
}

Packed pack(mpi::Communicator& world, const PackOptions& o) {
  const auto& format = format_of(o.codec);
  const auto block_bytes = o.block_bytes > 0 ? o.block_bytes : format.default_block_bytes;
  constexpr std::size_t smallest = 4096, largest = std::size_t{1} << 30;
  if (block_bytes < smallest || block_bytes > largest)
    throw InputError("A block of " + std::to_string(block_bytes) + " bytes is not allowed. Give 4 KiB to 1 GiB.", true);
  const auto level = o.level.value_or(format.default_level);
  const auto codec = make_codec(o.codec, level);
  std::unique_ptr<Input> input;
  const bool each_reads = open_input(world, o.files, input);
  on_root(world, [&] { check_outputs(o); });
  require_memory(world, o, block_bytes, input.get());
  const double started = now_seconds();
  const auto access = input ? input->access() : std::nullopt;
  Output output(world, o.out, o.way, o.overwrite, access);

  const bool root = world.rank() == 0;
  const bool plain = root && input->plain();
  Packed packed;
  auto bar = make_bar(o.bar && root, plain ? input->bytes() : 0, packed.out_bytes);
  std::vector<Entry> entries;  // on rank 0
  const auto container = make_container(o.codec, level);
  const auto head = container->head();
  if (!head.empty()) entries.push_back({.bytes = packed.out_bytes = head.size(), .size = 0});
  std::uint64_t next_index = 0, next_from = 0;
  Work work;
  work.next = [&](Bytes& data) -> std::optional<Block> {
    Block block{.index = next_index, .from = next_from};
    if (each_reads) {
      block.bytes = std::min<std::uint64_t>(block_bytes, input->bytes() - next_from);
    } else {
      data.resize(block_bytes);
      data.resize(input->read_next(data));
      block.bytes = data.size();
    }
    if (block.bytes == 0 && next_index > 0) return {};  // an empty input is one empty block
    ++next_index;
    next_from += block.bytes;
    return block;
  };
  if (each_reads)
    work.read = [&](const Block& block, Bytes& in) {
      in.resize(block.bytes);
      input->read(block.from, in);
    };
  work.transform = [&](Block& block, View in, Bytes& out) { block.note = codec->compress(in, out); };
  together(world, [&] { output.head(head); });
  output.serve(work, [&](const Block& block, std::uint64_t bytes) {
    entries.push_back({.at = packed.out_bytes, .bytes = bytes, .from = packed.in_bytes, .size = block.bytes});
    container->add(entries.back(), block.note);
    ++packed.blocks;
    packed.in_bytes += block.bytes;
    packed.out_bytes += bytes;
    if (bar) bar->update(static_cast<std::int64_t>(packed.in_bytes));
  });
  Progress progress(world, detail::progress_options(world, o.progress));
  ordered_map(world, work, detail::map_options(o.way, o.window, progress, o.timeline));
  if (bar) bar->finish(static_cast<std::int64_t>(packed.in_bytes));

  output.close_shared();
  on_root(world, [&] {
    const auto tail = container->tail(entries);
    output.tail(tail);
    entries.push_back({.at = packed.out_bytes, .bytes = tail.size(), .from = packed.in_bytes, .size = 0});
    packed.out_bytes += tail.size();
    if (o.out == "-" || format.kind != Codec::Kind::bzip2) return output.finish();
    place_with_index(output, o, entries, access);
  });
  packed.seconds = now_seconds() - started;
  return packed;
}

}  // namespace weft::pack
