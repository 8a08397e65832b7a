// SPDX-License-Identifier: BSD-3-Clause
//
// Expected values computed by hand, in microseconds.
#include "predict/step_time.hpp"

#include <gtest/gtest.h>

#include "bench/tests/predict/made_up.hpp"

namespace weft::predict {
namespace {

using namespace testing;

double microseconds(const RunProfile& run, const Strategy& strategy, const Network& network = made_up_network()) {
  return step_time(Problem({{"made up", run}}).at(run.ranks), network, strategy).step() / us;
}

TEST(StepTime, is_computation_and_what_is_not_overlapped) {
  const auto run = made_up_run();
  // 5 messages and 2 waits are 12. The monitors have no computation to overlap with: 2 x 10 + 0.016. Of the faces' 10 +
  // 30 the latency is overlapped.
  EXPECT_NEAR(microseconds(run, {false, "passive"}), 1000 + 12 + 20.016 + 30, 1e-6);
  EXPECT_NEAR(microseconds(run, {false, "polling"}), 1000 + 12 + 20.016, 1e-6);
  // 4 messages and 1 wait: 9. All bytes are waited for, and then the second round of the monitors.
  EXPECT_NEAR(microseconds(run, {true, "passive"}), 1000 + 9 + 30.016 + 10, 1e-6);
  EXPECT_NEAR(microseconds(run, {true, "polling"}), 1000 + 9, 1e-6);
}

// Below the library's eager limit a byte may cost twice as much, since both ends copy it.
TEST(StepTime, bytes_cost_what_messages_of_their_size_do) {
  auto network = made_up_network();
  network.far->bytes_of_size = {{1000, Range::exact(3e-9)}, {8000, Range::exact(3e-9)}, {9000, Range::exact(1e-9)}};
  EXPECT_EQ(network.far->byte_of(8).value, 3e-9);
  EXPECT_NEAR(network.far->byte_of(8250).value, 2.5e-9, 1e-18);
  EXPECT_EQ(network.far->byte_of(8250).low, 1e-9);
  EXPECT_EQ(network.far->byte_of(8250).high, 3e-9);
  EXPECT_EQ(network.far->byte_of(1e6).value, 1e-9);
  auto run = made_up_run();  // three messages of 10,000 bytes; the monitors' 16 bytes are in the small messages
  EXPECT_NEAR(microseconds(run, {false, "passive"}, network), 1000 + 12 + 20.048 + 30, 1e-6);
  run.clients[1].alone.bytes = 15000;  // three of 5,000
  EXPECT_NEAR(microseconds(run, {false, "passive"}, network), 1000 + 12 + 20.048 + 45, 1e-6);
  run.together.bytes = 15016;
  EXPECT_NEAR(microseconds(run, {true, "passive"}, network), 1000 + 9 + 45.048 + 10, 1e-6);
}

TEST(StepTime, rounds_that_nobody_looks_at_are_waited_for) {
  auto run = made_up_run();
  run.polls = 0;
  EXPECT_NEAR(microseconds(run, {true, "polling"}), 1000 + 9 + 10, 1e-6);
}

TEST(StepTime, hides_no_more_than_there_is_computation) {
  auto run = made_up_run();
  // all of the faces' 40.016 are overlapped; before the monitors' 20.016 there are 200 more
  run.clients[1].during = 15 * us;
  EXPECT_NEAR(microseconds(run, {true, "polling"}), 1000 + 9 + 25.016, 1e-6);
}

TEST(StepTime, who_meets_all_in_every_step_waits_for_the_latest) {
  auto run = made_up_run();
  run.late_seconds = 30 * us;
  run.worst_seconds = 100 * us;
  EXPECT_NEAR(microseconds(run, {false, "polling"}), 1000 + 12 + 20.016 + 30, 1e-6);
  EXPECT_NEAR(microseconds(run, {true, "polling"}), 1000 + 9 + 3, 1e-6);  // averages out over 100 steps
  // the second round synchronises all ranks
  EXPECT_NEAR(microseconds(run, {true, "passive"}), 1000 + 9 + 40.016 + 30, 1e-6);
}

TEST(StepTime, the_librarys_reduction_has_its_own_latency) {
  auto run = made_up_run();
  run.clients[0].alone = {.points = 1, .collectives = 1};
  run.together.messages = 3;
  EXPECT_NEAR(microseconds(run, {false, "passive"}), 1000 + 8 + 2 * 5 + 30, 1e-6);
  EXPECT_NEAR(microseconds(run, {true, "polling"}), 1000 + 7, 1e-6);
}

TEST(StepTime, of_a_nodes_block_of_ranks_the_outer_faces_leave_it) {
  auto network = made_up_network();
  network.near = Path{.latency = Range::exact(1 * us),
                      .overhead = Range::exact(2 * us),
                      .point = Range::exact(1 * us),
                      .byte = Range::exact(0)};
  network.per_node = 8;
  const auto run = made_up_run();
  EXPECT_NEAR(microseconds(run, {false, "passive"}, network), 1000 + 12 + 2 * 1, 1e-6);  // all ranks in one node
  const Problem problem({{"made up", run}});
  auto load = problem.at(4);
  load.ranks = 64;  // the same traffic: both rounds within a node, half of the bytes between nodes
  EXPECT_NEAR(step_time(load, network, {false, "passive"}).step() / us, 1000 + 12 + 2 * 1 + 15 + 0.008, 1e-6);
}

}  // namespace
}  // namespace weft::predict
