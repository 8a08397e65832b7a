// SPDX-License-Identifier: BSD-3-Clause
//
// Halos that are exchanged every few steps: the same bits as with an exchange in each step, and as on one array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/halo/halo_exchange.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

constexpr int steps = 7;         // no multiple of 2 or 3
constexpr double outside = 0.5;  // the value beyond an edge

double initial(const GridOptions& options, const std::array<std::ptrdiff_t, 3>& at) {
  std::uint64_t n = 0;
  for (std::size_t a = 0; a < options.extent.size(); ++a) n = n * options.extent[a] + static_cast<std::uint64_t>(at[a]);
  return static_cast<double>((n * 2654435761U) % 1000) / 1000;
}

// A step of a heat equation with diagonal terms: `value(offset)` is that of the point there.
template <class Value>
double heat(std::size_t dimensions, int width, const Value& value) {
  const double here = value({0, 0, 0});
  double sum = 0;
  for (std::size_t a = 0; a < dimensions; ++a)
    for (int d = 1; d <= width; ++d) {
      std::array<int, 3> low{}, high{};
      low[a] = -d;
      high[a] = d;
      sum += (value(low) + value(high) - 2 * here) / (8 * d);
    }
  std::array<int, 3> low{}, high{};
  for (std::size_t a = 0; a < dimensions; ++a) low[a] = -(high[a] = width);
  return here + sum + (value(low) - value(high)) / 32;
}

// An array with the given number of points beyond the box on each side.
struct Array {
  Array(const Box& box, const GridOptions& options, std::size_t layers, double unknown)
      : first(box.first), dimensions(options.extent.size()) {
    std::size_t points = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      ghosts[a] = a < dimensions ? layers : 0;
      size[a] = box.count[a] + 2 * ghosts[a];
      points *= size[a];
    }
    values.resize(points);
    for (std::size_t i = 0; i < points; ++i) {
      const std::array<std::size_t, 3> at{i / size[2] / size[1], i / size[2] % size[1], i % size[2]};
      std::array<std::ptrdiff_t, 3> global{};
      bool beyond = false, owned = true;
      for (std::size_t a = 0; a < dimensions; ++a) {
        global[a] = static_cast<std::ptrdiff_t>(first[a] + at[a]) - static_cast<std::ptrdiff_t>(ghosts[a]);
        const auto n = static_cast<std::ptrdiff_t>(options.extent[a]);
        beyond = beyond || ((global[a] < 0 || global[a] >= n) && !options.periodic[a]);
        owned = owned && at[a] >= ghosts[a] && at[a] < ghosts[a] + box.count[a];
      }
      values[i] = beyond ? outside : owned ? initial(options, global) : unknown;
    }
  }
  std::size_t at(std::size_t x, std::size_t y, std::size_t z) const { return (x * size[1] + y) * size[2] + z; }

  Index first, ghosts{}, size{};
  std::size_t dimensions;
  std::vector<double> values;
};

// All points after all steps, on one array.
std::vector<double> reference(const GridOptions& options, int width) {
  Box whole;
  std::copy(options.extent.begin(), options.extent.end(), whole.count.begin());
  Array now(whole, options, 0, 0), next = now;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < now.values.size(); ++i) {
      const std::array<std::size_t, 3> at{i / now.size[2] / now.size[1], i / now.size[2] % now.size[1],
                                          i % now.size[2]};
      next.values[i] = heat(now.dimensions, width, [&](const std::array<int, 3>& by) {
        std::array<std::size_t, 3> there{};
        for (std::size_t a = 0; a < now.dimensions; ++a) {
          const auto n = static_cast<int>(options.extent[a]), x = static_cast<int>(at[a]) + by[a];
          if ((x < 0 || x >= n) && !options.periodic[a]) return outside;
          there[a] = static_cast<std::size_t>((x % n + n) % n);
        }
        return now.values[now.at(there[0], there[1], there[2])];
      });
    }
    std::swap(now.values, next.values);
  }
  return now.values;
}

// The number of this rank's points that differ from the reference, and of points that a step computes not just once.
int wrong_points(Transport& world, const GridOptions& options, const HaloOptions& how,
                 const std::vector<double>& expected) {
  const CartesianGrid grid(world, options);
  const auto width = static_cast<int>(how.width);
  Array now(grid.block(), options, how.layers(), std::numeric_limits<double>::quiet_NaN()), next = now;
  Halo halo(grid, how);
  auto field = scalar(now.values.data());
  field.moves = true;
  halo.add(field);
  HaloExchange exchange(world, halo);
  int wrong = 0;
  for (int step = 0; step < steps; ++step) {
    const auto k = static_cast<std::size_t>(step) % how.steps;
    const auto sub = halo.sub_step(k);
    std::vector<int> computed(now.values.size());
    const auto visit = [&](const Box& box, const auto& use) {
      for (std::size_t x = box.first[0]; x < box.first[0] + box.count[0]; ++x)
        for (std::size_t y = box.first[1]; y < box.first[1] + box.count[1]; ++y)
          for (std::size_t z = box.first[2]; z < box.first[2] + box.count[2]; ++z) use(x, y, z);
    };
    const auto compute = [&](const Box& box) {
      visit(box, [&](std::size_t x, std::size_t y, std::size_t z) {
        ++computed[now.at(x, y, z)];
        next.values[now.at(x, y, z)] = heat(now.dimensions, width, [&](const std::array<int, 3>& by) {
          const auto to = [](std::size_t from, int d) { return from + static_cast<std::size_t>(d); };  // may wrap
          return now.values[now.at(to(x, by[0]), to(y, by[1]), to(z, by[2]))];
        });
      });
    };
    if (k == 0) exchange.start();
    compute(sub.interior);
    if (k == 0) exchange.finish();
    for (const auto& box : sub.boundary) compute(box);
    visit(sub.points, [&](std::size_t x, std::size_t y, std::size_t z) { --computed[now.at(x, y, z)]; });
    wrong += static_cast<int>(std::ranges::count_if(computed, [](int n) { return n != 0; }));
    std::swap(now.values, next.values);
    exchange.rebind(0, now.values.data());
  }
  const auto block = grid.block();
  for (std::size_t x = 0; x < block.count[0]; ++x)
    for (std::size_t y = 0; y < block.count[1]; ++y)
      for (std::size_t z = 0; z < block.count[2]; ++z) {
        const auto& n = grid.extent();
        const auto whole = ((block.first[0] + x) * n[1] + block.first[1] + y) * n[2] + block.first[2] + z;
        wrong += now.values[now.at(x + now.ghosts[0], y + now.ghosts[1], z + now.ghosts[2])] != expected[whole];
      }
  return wrong;
}

TEST(HaloSteps, an_exchange_every_few_steps_gives_the_same_bits) {
  on(any_ranks, [](Transport& world) {
    for (const auto& extent : std::vector<std::vector<std::size_t>>{{25}, {17, 16}, {16, 16, 17}})
      for (const int periodic : {0, 1, 2}) {
        GridOptions options{.extent = extent};
        for (std::size_t a = 0; a < extent.size(); ++a)
          options.periodic.push_back(periodic == 1 || (periodic + a) % 3 == 2);
        for (const std::size_t width : {1, 2}) {
          const auto expected = reference(options, static_cast<int>(width));
          for (const std::size_t of : {1, 2, 3})
            for (const auto scheme : {HaloOptions::Scheme::direct, HaloOptions::Scheme::by_dimension}) {
              if (width * of > 4) continue;  // the shortest block has four points
              EXPECT_EQ(wrong_points(world, options, {.width = width, .scheme = scheme, .steps = of}, expected), 0)
                  << extent.size() << " axes, periodic " << periodic << ", width " << width << ", steps " << of;
            }
        }
      }
  });
}

TEST(HaloSteps, sub_steps_grow_towards_neighbours_only) {
  // 8 x 6 points on 2 x 1 ranks, periodic along y: rank 0 has an edge below x = 0.
  const CartesianGrid grid(0, 2, {.extent = {8, 6}, .processes = {2, 1}, .periodic = {false, true}});
  const Halo halo(grid, {.steps = 3});
  EXPECT_EQ(halo.sub_step(0).points, (Box{{3, 1, 0}, {6, 10, 1}}));
  EXPECT_EQ(halo.sub_step(1).points, (Box{{3, 2, 0}, {5, 8, 1}}));
  EXPECT_EQ(halo.sub_step(2).points, (Box{{3, 3, 0}, {4, 6, 1}}));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(halo.sub_step(k).interior, (Box{{3, 4, 0}, {3, 4, 1}}));
  EXPECT_EQ(halo.interior(), (Box{{0, 1, 0}, {3, 4, 1}}));
  EXPECT_EQ(Halo(grid).sub_step(0).boundary.size(), Halo(grid).boundary().size());
  EXPECT_THAT(halo.describe(), HasSubstr("halo of width 1 for 3 steps"));
}

TEST(HaloSteps, what_can_not_be_shared_by_steps_is_refused) {
  const CartesianGrid grid(0, 2, {.extent = {10, 10}});
  const auto refused = [&](const HaloOptions& options) { return error_of([&] { Halo(grid, options); }); };
  EXPECT_THAT(refused({.steps = 0}), HasSubstr("Use 1 or more"));
  EXPECT_THAT(refused({.width = 2, .steps = ~std::size_t{0}}), HasSubstr("at most 2^31"));
  EXPECT_THAT(refused({.width = 2, .steps = 3}), HasSubstr("A halo of width 2 for 3 steps is wider than"));
  EXPECT_THAT(refused({.payload = HaloOptions::Payload::reduced, .steps = 2}), HasSubstr("Use whole."));
  EXPECT_THAT(refused({.flow = HaloOptions::Flow::reverse, .steps = 2}), HasSubstr("Use 1"));
  Halo halo(grid, {.steps = 2});
  EXPECT_THAT(error_of([&] { halo.sub_step(2); }), HasSubstr("from 0 to 1"));
  std::vector<double> values(1000);
  auto field = scalar(values.data());
  field.layers = 1;
  EXPECT_THAT(error_of([&] { halo.add(field); }), HasSubstr("the halo is 2 wide"));
}

}  // namespace
}  // namespace weft
