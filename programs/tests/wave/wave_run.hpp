// SPDX-License-Identifier: BSD-3-Clause
//
// Small boxes of waves, run on ranks that are threads, and the state that tests compare.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "wave/simulation.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::testing {

using wave::Boundary;
using wave::Case;
using wave::Laplacian;
using wave::Pulse;
using wave::Reading;
using wave::Refinement;
using wave::Simulation;

/// A periodic unit cube of blocks^3 blocks with n^3 cells each, at rest.
inline Case make_case(int blocks, int n = 8) {
  Case c;
  c.domain.blocks = {blocks, blocks, blocks};
  c.domain.periodic = {true, true, true};
  c.domain.cells = n;
  c.domain.spacing = 1.0 / (blocks * n);
  c.error = true;
  return c;
}

inline void set_boundaries(Case& c, Boundary boundary) {
  c.boundaries.fill(boundary);
  c.domain.periodic.fill(boundary.kind == Boundary::Kind::periodic);
}

/// The end of a run: u and v of all cells of all levels in the order of their positions, and the readings.
struct End {
  std::vector<std::array<double, 6>> cells;  ///< level, place, u, v
  std::vector<Reading> readings;
  int regrids = 0;
};

/// On the ranks of `world`; the same on all of them. Collective.
inline End end_by(Transport& world, const Case& c, int steps, int read_every, const amr::TrafficMaker& traffic) {
  Simulation s(world, c, traffic);
  std::vector<Reading> readings{s.read()};
  for (int k = 0; k < steps; ++k) {
    s.run_step();
    if ((k + 1) % read_every == 0 || k + 1 == steps) readings.push_back(s.read());
  }
  s.stepper().settle();
  std::vector<std::array<double, 6>> mine;
  const int n = s.hierarchy().shape().n;
  for (int level = 0; level < s.hierarchy().levels(); ++level)
    for (const auto& block : s.hierarchy().local(level))
      for (int cell = 0; cell < n * n * n; ++cell) {
        const int i = cell % n, j = cell / n % n, k = cell / n / n;
        const auto x = s.hierarchy().centre(block.key, i, j, k);
        mine.push_back(
            {static_cast<double>(level), x[0], x[1], x[2], block.cell(wave::u, i, j, k), block.cell(wave::v, i, j, k)});
      }
  auto all = all_gather(world, mine);
  std::sort(all.begin(), all.end());
  return {std::move(all), std::move(readings), s.regrids()};
}

inline End end_on(Transport& world, const Case& c, int steps, int read_every, ExchangeOptions exchange = {},
                  const ProgressOptions& progress = {}) {
  exchange.progress = std::make_shared<Progress>(world, progress);
  return end_by(world, c, steps, read_every, exchange);
}

/// On ranks that are threads.
inline End end_of(int ranks, const Case& c, int steps, int read_every, const ExchangeOptions& options = {},
                  const ProgressOptions& progress = {}) {
  End end;
  run_in_process(ranks, [&](Transport& world) {
    auto mine = end_on(world, c, steps, read_every, options, progress);
    if (world.rank() == 0) end = std::move(mine);
  });
  return end;
}

/// Two pulses in a box with all kinds of boundaries, on three levels that follow the pulses.
inline Case busy_case() {
  auto c = make_case(3);
  c.error = false;
  c.boundaries = {{{Boundary::Kind::fixed, 0.1},
                   {Boundary::Kind::radiating, 0},
                   {Boundary::Kind::periodic, 0},
                   {Boundary::Kind::periodic, 0},
                   {Boundary::Kind::free, 0},
                   {Boundary::Kind::radiating, 0}}};
  c.domain.periodic = {false, true, false};
  c.pulses = {{.width = 0.06, .centre = {0.3, 0.45, 0.5}},
              {.amplitude = -0.2, .width = 0.1, .centre = {0.75, 0.9, 0.6}}};
  c.refinement = {
      .levels = 2, .criterion = Refinement::Criterion::gradient, .threshold = 0.04, .buffer = 1, .every = 2};
  return c;
}

inline void expect_same(const End& a, const End& b, const std::string& what) {
  EXPECT_EQ(a.regrids, b.regrids) << what;
  EXPECT_TRUE(a.cells == b.cells) << what;
  ASSERT_EQ(a.readings.size(), b.readings.size()) << what;
  for (std::size_t k = 0; k < a.readings.size(); ++k)
    EXPECT_EQ(a.readings[k].values(2), b.readings[k].values(2)) << what;
}

}  // namespace weft::testing
