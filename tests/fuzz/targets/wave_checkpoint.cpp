// SPDX-License-Identifier: BSD-3-Clause
#include "amr/files/checkpoint_file.hpp"
#include "amr/tree.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {

void wave_checkpoint(Bytes bytes) {
  std::string sealed;
  const auto file = as_checkpoint(bytes, "weftAMR2", sealed);
  is_read(file, [&] { amr::checkpoint::read_header_bytes(file); });
  if (sealed.empty()) return;
  is_read(file, [&] {
    const auto header = amr::checkpoint::parse(file, sealed);
    const auto& domain = header.identity.domain;
    std::int64_t blocks = 1;
    constexpr std::int64_t most_blocks = 4096;  // the number in the case, with which the file is compared first
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
