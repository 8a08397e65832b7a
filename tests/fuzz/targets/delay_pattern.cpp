// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/delay_pattern.hpp"

#include "tests/fuzz/fuzz.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::fuzz {

void delay_pattern(Bytes bytes) {
  const auto file = as_file(text_of(bytes), "delays");
  constexpr int ranks = 2;
  is_read(file, [&] {
    run_in_process(ranks, [&](Transport& transport) {
      const auto pattern = bench::collectives::delay_pattern(transport, file.string(), 1);
      expect(!pattern.empty(), "an empty pattern");
      for (const auto& row : pattern) {
        expect(row.size() == ranks, "a row of other ranks");
        for (const auto share : row) expect(share >= 0 && share <= 1, "a share");
      }
    });
  });
}

}  // namespace weft::fuzz
