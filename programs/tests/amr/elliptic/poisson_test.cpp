// SPDX-License-Identifier: BSD-3-Clause
#include "amr/elliptic/poisson.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::amr {
namespace {

constexpr double pi = std::numbers::pi;

Domain cube(int blocks, bool periodic) {
  return {.blocks = {blocks, blocks, blocks},
          .periodic = {periodic, periodic, periodic},
          .cells = 8,
          .spacing = 1.0 / (8 * blocks)};
}

/// Refines the blocks of level 0 in the lower half of a cube.
std::vector<BlockKey> half(int blocks) {
  std::vector<BlockKey> keys;
  for (int k = 0; k < blocks; ++k)
    for (int j = 0; j < blocks; ++j)
      for (int i = 0; i < blocks / 2; ++i) keys.push_back({0, {i, j, k}});
  return keys;
}

double exact(const std::array<double, 3>& x, bool periodic) {
  const double w = periodic ? 2 * pi : pi;
  return std::sin(w * x[0]) * std::sin(w * x[1]) * std::sin(w * x[2]);
}

struct Solved {
  Poisson::Result result;
  double error = 0;
  std::map<std::array<double, 4>, double> phi;
};

Solved solve(int ranks, const Domain& domain, const std::vector<BlockKey>& refined, double tolerance, int most) {
  Solved solved;
  const bool periodic = domain.periodic[0];
  run_in_process(ranks, [&](Transport& world) {
    const Hierarchy of(world, Tree(domain, refined, ranks), 1);
    Poisson poisson(of);
    const double w = periodic ? 2 * pi : pi;
    const auto visit = [&](const auto& f) {
      for (int l = 0; l < of.levels(); ++l)
        for (const auto& block : poisson.local(l)) {
          if (of.tree().is_refined({l, block.key.at})) continue;
          for (int c = 0; c < 512; ++c) f(l, block, c % 8, c / 8 % 8, c / 64);
        }
    };
    visit([&](int l, const BlockData& b, int i, int j, int k) {
      // A constant that the solver has to remove in a periodic domain.
      b.cell(Poisson::f, i, j, k) =
          -3 * w * w * exact(of.centre({l, b.key.at}, i, j, k), periodic) + (periodic ? 5 : 0);
    });
    const auto result = poisson.solve(tolerance, most);
    double error = 0;
    std::vector<std::array<double, 5>> cells;
    visit([&](int l, const BlockData& b, int i, int j, int k) {
      const auto x = of.centre({l, b.key.at}, i, j, k);
      const double value = b.cell(Poisson::phi, i, j, k);
      error = std::max(error, std::abs(value - exact(x, periodic)));
      cells.push_back({static_cast<double>(l), x[0], x[1], x[2], value});
    });
    error = all_reduce(world, error, maximum<double>());
    const auto all = all_gather(world, cells);
    if (world.rank() != 0) return;
    solved.result = result;
    solved.error = error;
    for (const auto& c : all) solved.phi[{c[0], c[1], c[2], c[3]}] = c[4];
  });
  return solved;
}

TEST(Poisson, every_cycle_takes_the_residual_down) {
  for (const bool periodic : {false, true}) {
    const auto one = solve(1, cube(4, periodic), {}, 0, 1), four = solve(1, cube(4, periodic), {}, 0, 4);
    EXPECT_LT(one.result.last, one.result.first / 5) << periodic;
    EXPECT_LT(four.result.last, one.result.last / 125) << periodic;
  }
}

TEST(Poisson, refined_meshes_converge_too) {
  for (const bool periodic : {false, true}) {
    const auto solved = solve(1, cube(2, periodic), half(2), 1e-8, 20);
    EXPECT_LT(solved.result.cycles, 14) << periodic;
    EXPECT_LE(solved.result.last, 1e-8 * 12 * pi * pi);
  }
}

TEST(Poisson, second_order) {
  for (const bool periodic : {false, true})
    for (const bool refined : {false, true}) {
      const auto coarse = solve(1, cube(2, periodic), refined ? half(2) : std::vector<BlockKey>{}, 1e-5, 20);
      const auto fine = solve(1, cube(4, periodic), refined ? half(4) : std::vector<BlockKey>{}, 1e-5, 20);
      EXPECT_GT(std::log2(coarse.error / fine.error), 1.85)
          << periodic << refined << ' ' << coarse.error << ' ' << fine.error;
    }
}

TEST(Poisson, the_same_bits_on_any_number_of_ranks) {
  for (const bool periodic : {false, true}) {
    const auto one = solve(1, cube(2, periodic), half(2), 0, 1);
    for (const int ranks : periodic ? std::vector{3} : std::vector{2, 3, 4}) {
      const auto many = solve(ranks, cube(2, periodic), half(2), 0, 1);
      EXPECT_EQ(many.result.last, one.result.last);
      EXPECT_TRUE(many.phi == one.phi) << ranks;
    }
  }
}

TEST(Poisson, an_odd_number_of_blocks_has_no_levels_beneath) {
  Domain domain{.blocks = {3, 1, 2}, .periodic = {false, true, false}, .cells = 8, .spacing = 0.1};
  run_in_process(1, [&](Transport& world) {
    const Hierarchy of(world, Tree(domain, {}, 1), 1);
    Poisson poisson(of);
    EXPECT_EQ(poisson.beneath(), 0);
    for (const auto& block : poisson.local(0)) block.cell(Poisson::f, 3, 4, 5) = 1;
    const auto result = poisson.solve(1e-8, 4);
    EXPECT_LE(result.last, 1e-8);
  });
}

}  // namespace
}  // namespace weft::amr
