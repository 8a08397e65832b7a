// SPDX-License-Identifier: BSD-3-Clause
#include "predict/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/tests/predict/made_up.hpp"
#include "weft/error.hpp"

namespace weft::predict {
namespace {

using namespace testing;

std::string refusal(std::vector<predict::Run> runs) {
  try {
    Problem problem(std::move(runs));
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Problem, blocks_are_expected_of_one_run) {
  const Problem problem({{"made up", made_up_run()}});
  const auto load = problem.at(32);
  EXPECT_NEAR(load.compute, 125 * us, 1e-12);
  EXPECT_NEAR(load.clients[1].alone.bytes, 30000 / 4.0, 1e-6);
  EXPECT_NEAR(load.clients[1].before, 50 * us, 1e-12);  // scales with the surface, too
  EXPECT_NEAR(load.clients[1].before + load.clients[1].during + load.clients[1].after, 125 * us, 1e-12);
  EXPECT_EQ(load.clients[1].alone.peers, 6);  // all other ranks were its peers
  EXPECT_EQ(load.clients[0].alone.rounds, 5);
  EXPECT_EQ(load.clients[0].alone.messages, 5);
  EXPECT_NEAR(problem.at(32, Outlook::bad).clients[1].alone.bytes, 15000, 1e-6);
  EXPECT_NEAR(problem.at(32, Outlook::good).clients[1].alone.bytes, 3750, 1e-6);
}

TEST(Problem, blocks_get_more_faces_until_all_axes_are_cut) {
  EXPECT_EQ(faces_of_blocks(2, false), 1);
  EXPECT_EQ(faces_of_blocks(2, true), 2);
  EXPECT_EQ(faces_of_blocks(6, false), 3);  // 1 x 2 x 3
  EXPECT_EQ(faces_of_blocks(6, true), 4);
  EXPECT_EQ(faces_of_blocks(8, true), 6);
  EXPECT_EQ(faces_of_blocks(16, false), 4);  // 2 x 2 x 4
  EXPECT_EQ(faces_of_blocks(27, false), 6);
  EXPECT_EQ(faces_of_blocks(7, true), 2);  // a prime number: slices
  auto run = made_up_run();
  run.clients[1].alone.messages = 4;  // a periodic box of 1 x 2 x 2 blocks
  const Problem problem({{"made up", run}});
  EXPECT_NEAR(problem.at(32).clients[1].alone.messages, 6, 1e-9);
  EXPECT_NEAR(problem.at(32).clients[1].alone.bytes, 1.5 * 30000 / 4, 1e-6);
  EXPECT_NEAR(problem.at(32).clients[1].before, 75 * us, 1e-12);
  EXPECT_NEAR(problem.at(32, Outlook::good).clients[1].alone.bytes, 3750, 1e-6);
}

TEST(Problem, two_runs_tell_how_surfaces_and_computation_shrink) {
  std::vector<predict::Run> runs;
  for (const int ranks : {8, 64}) {
    auto run = made_up_run();
    run.ranks = ranks;
    run.compute_seconds = 8e-3 / ranks + 50 * us;
    run.clients[1].alone.bytes = 1e5 / std::sqrt(ranks);
    runs.push_back({"made up", run});
  }
  const Problem problem(runs);
  EXPECT_NEAR(problem.surface_exponent().value, 0.5, 1e-9);
  EXPECT_NEAR(problem.at(512).compute, 8e-3 / 512 + 50 * us, 1e-12);
  EXPECT_NEAR(problem.at(512).clients[1].alone.bytes, 1e5 / std::sqrt(512), 1e-6);
  EXPECT_EQ(problem.nearest(16).profile.ranks, 8);
  EXPECT_EQ(problem.nearest(512).profile.ranks, 64);
}

TEST(Problem, more_ranks_have_a_later_latest) {
  EXPECT_EQ(expected_largest(1), 0);
  EXPECT_NEAR(expected_largest(2), 0.564, 0.03);
  EXPECT_NEAR(expected_largest(100), 2.508, 0.01);
  auto run = made_up_run();
  run.late_seconds = 30 * us;
  run.worst_seconds = 45 * us;
  const auto load = Problem({{"made up", run}}).at(400);
  EXPECT_NEAR(load.late, 30 * us / 100 * expected_largest(400) / expected_largest(4), 1e-12);
  EXPECT_EQ(load.lateness(400), 0.45 * us);  // not later than the latest rank observed
  EXPECT_EQ(load.lateness(1), 0);
}

TEST(Problem, refuses_what_cannot_be_compared) {
  auto other = made_up_run(), alone = made_up_run();
  other.problem = 2e6;
  alone.ranks = 1;
  EXPECT_EQ(refusal({{"a.json", made_up_run()}, {"b.json", other}}),
            "b.json solved another problem than a.json (another size, or other clients). Give runs of one problem.");
  EXPECT_EQ(refusal({{"a.json", alone}}),
            "a.json ran on one rank (which sends nothing). Give a run on 2 or more ranks.");
  EXPECT_EQ(refusal({}), "No run is given. Give at least one run.");
}

}  // namespace
}  // namespace weft::predict
