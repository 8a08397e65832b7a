// SPDX-License-Identifier: BSD-3-Clause
#include "amr/files/checkpoint_file.hpp"
#include "amr/tree.hpp"
#include "flow/checkpoint_file.hpp"
#include "program/checkpoints.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {

namespace {

// The file that the bytes stand for; `sealed` is its header if it has one that is whole.
std::filesystem::path checkpoint(Bytes bytes, const char* magic, std::string& sealed) {
  auto text = text_of(bytes);
  const bool seal = text.starts_with('s');
  if (!text.empty()) text.remove_prefix(1);
  if (seal) sealed = program::seal_header(magic, std::string(text));
  return as_file(seal ? std::string_view(sealed) : text, "checkpoint_00000001.weft");
}

}  // namespace

void flow_checkpoint(Bytes bytes) {
  std::string sealed;
  const auto file = checkpoint(bytes, "weftFLO3", sealed);
  is_read(file, [&] { flow::checkpoint::read_header_bytes(file); });
  if (sealed.empty()) return;
  is_read(file, [&] {
    const auto header = flow::checkpoint::parse(file, sealed);
    expect(header.step >= 0 && header.blocks >= 0 && header.sites >= 0 && header.opening_sites >= 0, "a negative count");
    for (const auto& seen : header.seen) expect(seen.inflow.size() == header.told.row.flow.size(), "openings of a rank");
    expect(flow::checkpoint::parse(file, flow::checkpoint::bytes_of(header)).settings == header.settings, "written anew");
  });
}

void wave_checkpoint(Bytes bytes) {
  std::string sealed;
  const auto file = checkpoint(bytes, "weftAMR1", sealed);
  is_read(file, [&] { amr::checkpoint::read_header_bytes(file); });
  if (sealed.empty()) return;
  is_read(file, [&] {
    const auto header = amr::checkpoint::parse(file, sealed);
    const auto& domain = header.identity.domain;
    std::int64_t blocks = 1;
    constexpr std::int64_t most_blocks = 4096;  // the case's own, which a file is compared with first
    for (const auto n : domain.blocks) {
      if (n < 1 || n > most_blocks) return;
      blocks *= n;
    }
    if (blocks > most_blocks) return;
    const auto refined = amr::checkpoint::refined_blocks(file, header);
    const amr::Tree tree(domain, refined, 2);
    expect(tree.blocks() == header.blocks.size(), "a tree of other blocks");
  });
}

}  // namespace weft::fuzz
