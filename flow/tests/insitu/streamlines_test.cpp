// SPDX-License-Identifier: BSD-3-Clause
//
// Streamlines do not depend on the owners of the blocks, and follow a known flow.
#include "insitu/streamlines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "flow/tests/insitu/picture_run.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::insitu {
namespace {

// All points of all lines, sorted; computed without a picture.
std::vector<LinePoint> lines_on(int ranks, const test::Shape& shape) {
  const test::ShapeDomains domains(shape, ranks, test::deal_scattered);
  std::vector<LinePoint> all;
  run_in_process(ranks, [&](Transport& transport) {
    const auto& domain = domains.all()[static_cast<std::size_t>(transport.rank())];
    const Bricks bricks(transport, domain);
    NodeField velocity(bricks, 3);
    for (std::size_t k = 0; k < domain.sites.size(); ++k) {
      const auto v = known_velocity(domain.sites[k]);
      std::copy(v.begin(), v.end(), velocity.values().begin() + static_cast<std::ptrdiff_t>(3 * k));
    }
    Streamlines lines(bricks, velocity, seeds(domain, 12));
    StepManager manager(transport);
    manager.add("velocity", velocity);
    manager.run_step();
    manager.remove(velocity);
    manager.add("lines", lines);
    lines.start();
    const auto all_idle = [&] { return all_reduce(transport, lines.idle() ? 1 : 0, minimum<int>()) == 1; };
    while (!all_idle()) {
      lines.grow(1);
      manager.run_step();
    }
    const auto mine = std::vector<LinePoint>(lines.points().begin(), lines.points().end());
    for (const auto& part : gather(transport, mine)) all.insert(all.end(), part.begin(), part.end());
  });
  std::sort(all.begin(), all.end(), [](const LinePoint& a, const LinePoint& b) {
    return std::tie(a.line, a.number) < std::tie(b.line, b.number);
  });
  return all;
}

TEST(Streamlines, are_the_same_on_any_number_of_ranks) {
  const auto one = lines_on(1, helix());
  EXPECT_GT(one.size(), 400u);
  for (const int ranks : {2, 3, 4, 8}) {
    const auto several = lines_on(ranks, helix());
    ASSERT_EQ(one.size(), several.size()) << ranks;
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i].line, several[i].line);
      ASSERT_EQ(one[i].number, several[i].number);
      ASSERT_EQ(one[i].at, several[i].at)
          << "line " << one[i].line << ", point " << one[i].number << ", " << ranks << " ranks";
      ASSERT_EQ(one[i].speed, several[i].speed);
    }
  }
}

// The flow rotates around the helix' middle while it rises: from a line's start follows its position at any height.
TEST(Streamlines, follow_the_flow) {
  const auto points = lines_on(3, helix());
  std::size_t checked = 0;
  Float3 start{};
  for (const auto& p : points) {
    if (p.number == 0) start = p.at;
    if (p.line > 2) continue;  // further outwards, a cell has no values on the side of the wall
    EXPECT_NEAR(p.speed, std::sqrt(1 + 1.68 * 1.68), 0.05);
    // The integral of the velocity over the height; the vertical speed is 1.
    const auto at = [](float z) {
      return std::array<double, 2>{14 * std::cos(0.12 * (double{z} - 3)), 14 * std::sin(0.12 * (double{z} - 3))};
    };
    const auto from = at(start[2]), to = at(p.at[2]);
    EXPECT_NEAR(p.at[0] - start[0], to[0] - from[0], 0.25) << "line " << p.line << ", point " << p.number;
    EXPECT_NEAR(p.at[1] - start[1], to[1] - from[1], 0.25);
    ++checked;
  }
  EXPECT_GT(checked, 150u);
}

}  // namespace
}  // namespace weft::insitu
