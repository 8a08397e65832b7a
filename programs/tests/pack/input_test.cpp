// SPDX-License-Identifier: BSD-3-Clause
#include "pack/input.hpp"

#include <gtest/gtest.h>

#include "tests/support/scratch.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::pack {
namespace {

// Here ranks that see different files have different names for them.
TEST(Input, ranks_read_by_themselves_only_what_all_see) {
  const test::Scratch scratch;
  const auto file = scratch.write("file", "0123456789").string(), other = scratch.write("other", "0123456780").string(),
             longer = scratch.write("longer", "01234567890").string(),
             same = scratch.write("same", "0123456789").string();
  for (const auto& [name, each_reads] : {std::pair{same, true}, {other, false}, {longer, false}, {"missing", false}})
    run_in_process(3, [&](Transport& world) {
      std::unique_ptr<Input> input;
      EXPECT_EQ(open_input(world, {file, world.rank() == 1 ? name : same}, input), each_reads) << name;
    });
}

}  // namespace
}  // namespace weft::pack
