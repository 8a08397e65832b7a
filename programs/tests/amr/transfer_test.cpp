// SPDX-License-Identifier: BSD-3-Clause
#include "amr/transfer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "amr/regrid.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::amr {
namespace {

// The average of x^m over [a, a + h].
double mean_power(double a, double h, int m) { return (std::pow(a + h, m + 1) - std::pow(a, m + 1)) / (h * (m + 1)); }

double mean(std::array<double, 3> corner, double h) {
  return mean_power(corner[0], h, 4) - 2 * mean_power(corner[1], h, 3) * mean_power(corner[2], h, 4) +
         mean_power(corner[0], h, 1);
}

TEST(Transfer, prolongs_polynomials_of_degree_four_exactly_and_keeps_means) {
  const Shape shape(8);
  std::vector<double> coarse(static_cast<std::size_t>(shape.field)), fine(8 * 4 * 3 * 5);
  double* origin = coarse.data() + shape.origin;
  const double h = 0.25;
  for (int k = -2; k < 10; ++k)
    for (int j = -2; j < 10; ++j)
      for (int i = -2; i < 10; ++i) origin[shape.at(i, j, k)] = mean({h * i, h * j, h * k}, h);
  const std::array<int, 3> count{4, 3, 5};
  prolong(origin + shape.at(4, 1, 3), shape.row, shape.plane, count, fine.data());
  for (int k = 0; k < 10; ++k)
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 8; ++i) {
        const double exact = mean({h * 4 + h / 2 * i, h * 1 + h / 2 * j, h * 3 + h / 2 * k}, h / 2);
        EXPECT_NEAR(fine[static_cast<std::size_t>((k * 6 + j) * 8 + i)], exact, 1e-12 * (1 + std::abs(exact)));
      }
}

TEST(Transfer, restriction_takes_means) {
  const Shape shape(8);
  std::vector<double> fine(static_cast<std::size_t>(shape.field)), coarse(64);
  double* origin = fine.data() + shape.origin;
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i) origin[shape.at(i, j, k)] = mean({0.5 * i, 0.5 * j, 0.5 * k}, 0.5);
  restrict_block(origin, shape, coarse.data(), 4, 16);
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(coarse[static_cast<std::size_t>((k * 4 + j) * 4 + i)], mean({1.0 * i, 1.0 * j, 1.0 * k}, 1),
                    1e-12 * (1 + std::pow(4, 7)));
}

// A smooth field that does not depend on the mesh: moved and prolonged cells are compared with it.
TEST(Regrid, moves_blocks_and_interpolates_new_ones) {
  const Domain domain{.blocks = {4, 4, 4}, .periodic = {true, true, true}, .cells = 8};
  const std::vector<BlockKey> before{{0, {1, 1, 1}}, {0, {2, 1, 1}}},
      wanted{{0, {2, 1, 1}}, {0, {2, 2, 1}}, {1, {4, 3, 3}}};
  const auto value = [](const BlockData& b, int f, int i, int j, int k) {
    const double h = 1.0 / (1 << b.key.level);
    const auto at = [&](std::size_t a, int c) { return h * (8 * b.key.at[a] + c); };
    return mean_power(at(0, i), h, 2) - mean_power(at(1, j), h, 3) + f * mean_power(at(2, k), h, 1);
  };
  for (const int ranks : {1, 2, 3, 4})
    run_in_process(ranks, [&](Transport& world) {
      Hierarchy h(world, Tree(domain, before, ranks), 3);
      const auto visit = [&](const auto& f) {
        for (int l = 0; l < h.levels(); ++l)
          for (const auto& b : h.local(l))
            for (int f_ = 0; f_ < 2; ++f_)
              for (int c = 0; c < 512; ++c) f(b, f_, c % 8, c / 8 % 8, c / 64);
      };
      visit([&](const BlockData& b, int f, int i, int j, int k) { b.cell(f, i, j, k) = value(b, f, i, j, k); });
      const auto counts =
          regrid(h, Tree(domain, nest(domain, wanted), ranks, Curve::morton), 2, [](const BlockData&) {}, {});
      EXPECT_EQ(h.levels(), 3);
      EXPECT_GT(counts.created, 8U);
      visit([&](const BlockData& b, int f, int i, int j, int k) {
        const double expected = value(b, f, i, j, k);
        ASSERT_NEAR(b.cell(f, i, j, k), expected, 1e-9 * (1 + std::abs(expected)));
      });
    });
}

// More than the active messages for one rank may hold at once, so that blocks arrive before their new owner has the new
// tree.
TEST(Regrid, moves_more_blocks_than_fit_into_the_mailbox) {
  const Domain domain{.blocks = {7, 7, 5}, .cells = 8};
  constexpr int fields = 16;
  for (const int ranks : {2, 3})
    run_in_process(ranks, [&](Transport& world) {
      Hierarchy h(world, Tree(domain, {}, ranks), fields);
      const auto value = [](const BlockData& b, int f) {
        return b.key.at[0] + 8 * b.key.at[1] + 64 * b.key.at[2] + 256 * f;
      };
      for (const auto& b : h.local(0))
        for (int f = 0; f < fields; ++f)
          for (int c = 0; c < 512; ++c) b.cell(f, c % 8, c / 8 % 8, c / 64) = value(b, f) + c / 512.0;
      const auto counts = regrid(h, Tree(domain, {}, ranks, Curve::morton), fields, [](const BlockData&) {}, {});
      EXPECT_EQ(counts.created + counts.removed, 0U);
      EXPECT_GT(counts.moved, 0U);
      for (const auto& b : h.local(0))
        for (int f = 0; f < fields; ++f)
          for (int c = 0; c < 512; ++c) ASSERT_EQ(b.cell(f, c % 8, c / 8 % 8, c / 64), value(b, f) + c / 512.0);
    });
}

}  // namespace
}  // namespace weft::amr
