// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "programs/tests/wave/wave_run.hpp"

namespace weft {
namespace {

using namespace weft::testing;

// The error after the same time on a mesh and on a mesh twice as fine.
double order_of(Case (*make)(int), int coarse, int steps) {
  const auto a = end_of(1, make(coarse), steps, steps).readings.back().error;
  const auto b = end_of(1, make(2 * coarse), 2 * steps, 2 * steps).readings.back().error;
  return std::log2(a / b);
}

Case plane(int blocks) {
  auto c = make_case(blocks);
  c.pulses = {{.shape = Pulse::Shape::plane, .waves = {1, 1, 0}}};
  return c;
}

Case plane_second(int blocks) {
  auto c = plane(blocks);
  c.laplacian = Laplacian::second;
  return c;
}

Case standing(int blocks) {
  auto c = make_case(blocks);
  set_boundaries(c, {Boundary::Kind::fixed, 0});
  c.pulses = {{.shape = Pulse::Shape::standing, .waves = {1, 2, 1}}};
  return c;
}

Case plane_refined(int blocks) {
  auto c = plane(blocks);
  c.refinement = {.levels = 1, .regions = {{{0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}, 1}}};
  return c;
}

Case plane_refined_second(int blocks) {
  auto c = plane_refined(blocks);
  c.laplacian = Laplacian::second;
  return c;
}

TEST(WaveConvergence, plane_wave_on_a_uniform_grid) {
  EXPECT_GT(order_of(plane, 2, 20), 3.8);
  EXPECT_GT(order_of(plane_second, 2, 20), 1.8);
}

TEST(WaveConvergence, standing_wave_between_fixed_faces) { EXPECT_GT(order_of(standing, 2, 20), 3.5); }

TEST(WaveConvergence, plane_wave_on_a_refined_grid) {
  EXPECT_GT(order_of(plane_refined, 4, 8), 3.5);
  EXPECT_GT(order_of(plane_refined_second, 4, 8), 1.8);
}

TEST(WaveConvergence, energy_is_kept_on_a_uniform_grid) {
  const auto readings = end_of(1, plane(4), 100, 50).readings;
  for (const auto& reading : readings) EXPECT_NEAR(reading.energy / readings[0].energy, 1, 1e-5);
}

}  // namespace
}  // namespace weft
