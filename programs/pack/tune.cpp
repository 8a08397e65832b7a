// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "pack/input.hpp"
#include "pack/pack.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {
namespace {

using Kind = ProgressOptions::Kind;

// First without overlap: a result is sent and waited for before the next block is compressed.
std::vector<Setting> candidates(const Transport& world) {
  std::vector<Setting> all{{{"window", "0"}, {"progress", name_of(Kind::passive)}}};
  for (const auto kind : progress_kinds_of(world)) {
    if (kind == Kind::send_receive_threads) continue;  // a pipeline's results have one direction
    for (const auto* window : {"1", "3", "8"}) all.push_back({{"window", window}, {"progress", name_of(kind)}});
  }
  return all;
}

}  // namespace

std::string tune(mpi::Communicator& world, PackOptions& o, const Tuning::Options& how) {
  const auto& format = format_of(o.codec);
  const auto level = o.level.value_or(format.default_level);
  const auto block_bytes = std::clamp<std::size_t>(o.block_bytes > 0 ? o.block_bytes : format.default_block_bytes, 4096,
                                                   std::size_t{1} << 30);
  const auto codec = make_codec(o.codec, level);
  std::unique_ptr<Input> input;
  const bool each_reads = open_input(world, o.files, input);
  const auto blocks = 4 * static_cast<std::uint64_t>(world.size());
  // Only rank 0's values count: others may see files of another size.
  const auto bytes = broadcast(world, std::vector<std::uint64_t>{each_reads ? input->bytes() : 0}).front();
  const bool enough = bytes >= blocks * block_bytes;

  auto options = how;
  options.halving.limit_seconds = 10;
  options.warm_up = 0;
  options.iterations = enough ? 0 : 1;
  const std::string problem = std::string("pack ") + format.name + " level " + std::to_string(level) + ", blocks of " +
                              std::to_string(block_bytes) +
                              (o.way == MapOptions::Way::parallel ? ", parallel" : ", gathered");
  Tuning tuning(world, problem, candidates(world), options);
  std::unique_ptr<Progress> progress;
  std::size_t window = 0;
  tuning.dry_run(
      [&](const Setting& setting) {
        ProgressOptions kind;
        apply(setting, kind);
        progress = std::make_unique<Progress>(world, kind);
        window = number_of(setting, "window", 0);
      },
      [&] {
        std::uint64_t next = 0;
        Work work;
        work.next = [&](Bytes&) -> std::optional<Block> {
          if (next == blocks) return {};
          const Block block{.index = next, .from = next * block_bytes, .bytes = block_bytes};
          ++next;
          return block;
        };
        work.read = [&](const Block& block, Bytes& in) {
          in.resize(block.bytes);
          input->read(block.from, in);
        };
        work.transform = [&](Block&, View in, Bytes& out) { codec->compress(in, out); };
        work.in_order = [](const Block&, std::uint64_t, std::uint64_t, View) {};
        work.write_at = [](std::uint64_t, View) {};
        ordered_map(world, work, detail::map_options(o.way, window, *progress));
      });
  if (const auto& chosen = tuning.chosen()) {
    ProgressOptions kind;
    apply(*chosen, kind);
    o.progress = kind.kind;
    o.window = number_of(*chosen, "window", o.window);
  }
  if (tuning.state() == Tuning::State::left_alone && world.size() > 1)
    return "not tuned: there are no " + std::to_string(blocks) + " blocks to try in plain files that all ranks see";
  return tuning.text();
}

}  // namespace weft::pack
