// SPDX-License-Identifier: BSD-3-Clause
//
// The defaults in docs/keys.md are those of a case without the key, and without its section.
#include "box_program/case.hpp"
#include "tests/support/documented_defaults.hpp"

namespace weft::box_program {
namespace {

constexpr auto bare_case = R"([lattice]
tau = 0.8
[box]
size = [32, 24, 24]
periodic = [false, false, false]
[[particle]]
position = [10, 12, 12]
radius = 4
[run]
steps = 10
)";

TEST(BoxDefaults, are_those_of_the_documents) {
  test::expect_documented_defaults<Case>(WEFT_KEYS, "box", {bare_case}, {{"particle", "particle.0"}},
                                         {{}, {"start.flow=\"uniform\""}, {"start.flow=\"taylor-green\""}}, {},
                                         [](const auto& file, const auto& set) { return read_case(file, set); });
}

}  // namespace
}  // namespace weft::box_program
