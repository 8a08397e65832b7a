// SPDX-License-Identifier: BSD-3-Clause
#include "flow/check/parts_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::flow {
namespace {

using ::testing::HasSubstr;
using Kind = lattice::OpeningState::Kind;

OpeningCase opening(geometry::Opening::Kind side, const char* name, Kind kind, double value) {
  OpeningCase o;
  o.disc = {side, name, {0, 0, 0}, {0, 0, 1}, 1e-3};
  o.kind = kind;
  o.value.points = {{0, value}};
  o.lumen_area = 1e-6;
  return o;
}

Case two_vessels(Kind last) {
  using Side = geometry::Opening::Kind;
  Case c;
  c.openings = {opening(Side::inlet, "in", Kind::velocity, 0.2), opening(Side::inlet, "in2", Kind::velocity, 0.3),
                opening(Side::outlet, "out", Kind::pressure, 0), opening(Side::outlet, "out2", last, -0.1)};
  c.parts = {0, 1, 0, 1};
  return c;
}

TEST(PartsCheck, a_part_without_a_pressure_that_does_not_balance_is_refused_with_its_numbers) {
  EXPECT_TRUE(find_part_problems(two_vessels(Kind::pressure)).empty());
  auto c = two_vessels(Kind::velocity);
  auto found = find_part_problems(c);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].refused);
  EXPECT_THAT(
      found[0].text,
      HasSubstr(
          "the one with 'in2', 'out2' has no opening with a pressure (on average 0.3 ml/s enter and 0.1 ml/s leave"));
  c.openings[3].value.points = {{0, -0.3}};
  found = find_part_problems(c);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].refused);
  c.parts = {};  // parts unknown: the pressure may belong to all openings
  EXPECT_TRUE(find_part_problems(c).empty());
}

TEST(PartsCheck, a_share_is_of_what_enters_through_all_inlets) {
  auto c = two_vessels(Kind::velocity);
  c.openings[3].rule = OpeningCase::Rule::share;
  c.openings[3].value.points = {{0, 0.6}};
  auto found = find_part_problems(c);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].refused);
  EXPECT_THAT(found[0].text, HasSubstr("0.3 ml/s leave"));
}

}  // namespace
}  // namespace weft::flow
