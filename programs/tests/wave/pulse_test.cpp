// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "programs/tests/wave/wave_run.hpp"

namespace weft {
namespace {

using namespace weft::testing;

// A plane pulse of amplitude 1, six coarse cells wide, moves along x into a region of fine blocks.
struct Crossing {
  double reflected = 0, error = 0;
};

Crossing cross(Laplacian laplacian) {
  auto c = make_case(1);
  c.domain.blocks = {16, 1, 1};
  c.domain.spacing = 1.0 / 128;
  c.laplacian = laplacian;
  c.pulses = {{.shape = Pulse::Shape::front, .width = 6.0 / 128, .centre = {0.3, 0, 0}}};
  c.refinement = {.levels = 1, .regions = {{{0.51, 0, 0}, {0.8, 1, 1}, 1}}};
  Crossing crossing;
  run_in_process(1, [&](Transport& world) {
    Simulation s(world, c, {});
    const int steps = static_cast<int>(0.4 / c.dt());  // the pulse is then at 0.7, its reflection between 0.2 and 0.4
    for (int k = 0; k < steps; ++k) s.run_step();
    for (const auto& block : s.hierarchy().local(0))
      for (int i = 0; i < 8; ++i) {
        const double x = s.hierarchy().centre(block.key, i, 0, 0)[0];
        if (x < 0.45) crossing.reflected = std::max(crossing.reflected, std::abs(block.cell(wave::u, i, 4, 4)));
      }
    crossing.error = s.read().error;
  });
  return crossing;
}

TEST(WavePulse, hardly_reflects_where_the_mesh_becomes_fine) {
  EXPECT_LT(cross(Laplacian::fourth).reflected, 0.002);
  EXPECT_LT(cross(Laplacian::second).reflected, 0.01);
}

Case sphere(int blocks, int levels) {
  auto c = make_case(blocks);
  c.pulses = {{.width = 0.07, .centre = {0.5, 0.5, 0.5}}};
  c.refinement = {
      .levels = levels, .criterion = Refinement::Criterion::gradient, .threshold = 0.01, .buffer = 2, .every = 2};
  return c;
}

TEST(WavePulse, a_following_mesh_is_as_good_as_a_fine_one) {
  const auto adaptive = end_of(1, sphere(4, 1), 8, 8), fine = end_of(1, sphere(8, 0), 16, 16),
             coarse = end_of(1, sphere(4, 0), 8, 8);
  EXPECT_GT(adaptive.regrids, 0);
  const double error = adaptive.readings.back().error;
  EXPECT_LT(error, 1.2 * fine.readings.back().error);
  EXPECT_LT(5 * error, coarse.readings.back().error);
  EXPECT_LT(adaptive.readings.front().cells, fine.readings.front().cells);
}

TEST(WavePulse, leaves_through_radiating_faces) {
  auto c = make_case(4);
  set_boundaries(c, {Boundary::Kind::radiating, 0});
  c.pulses = {{.width = 0.12, .centre = {0.5, 0.5, 0.5}}};
  const auto readings = end_of(1, c, 120, 120).readings;  // 1.5 crossing times
  EXPECT_LT(readings.back().energy, 1e-3 * readings.front().energy);
  EXPECT_LT(readings.back().largest, 0.01);
  c.refinement = {.levels = 1, .regions = {{{0.3, 0.3, 0.3}, {0.7, 0.7, 1.0}, 1}}};
  EXPECT_LT(end_of(1, c, 100, 100).readings.back().largest, 0.01);
}

TEST(WavePulse, free_and_fixed_faces_keep_energy) {
  for (const auto kind : {Boundary::Kind::free, Boundary::Kind::fixed}) {
    auto c = make_case(3);
    set_boundaries(c, {kind, 0});
    c.pulses = {{.width = 0.15, .centre = {0.4, 0.5, 0.6}}};
    const auto readings = end_of(1, c, 60, 60).readings;
    EXPECT_NEAR(readings.back().energy / readings.front().energy, 1, 0.01);
  }
}

}  // namespace
}  // namespace weft
