// SPDX-License-Identifier: BSD-3-Clause
//
// The defaults in docs/keys.md are those of a case without the key, and without its section.
#include "tests/support/documented_defaults.hpp"
#include "wave/case.hpp"

namespace weft::wave {
namespace {

constexpr auto bare_case = R"([domain]
cells = [32, 32, 32]
length = 1.0
[[pulse]]
width = 0.05
[[region]]
low = [0, 0, 0]
high = [1, 1, 1]
[refinement]
levels = 1
[run]
steps = 10
)";

TEST(WaveDefaults, are_those_of_the_documents) {
  test::expect_documented_defaults<Case>(WEFT_KEYS, "wave", {bare_case},
                                         {{"pulse", "pulse.0"}, {"region", "region.0"}, {"BOUNDARY", "boundary.all"}},
                                         {{}}, {"refinement.levels"},  // a region needs a level
                                         [](const auto& file, const auto& set) { return read_case(file, set); });
}

}  // namespace
}  // namespace weft::wave
