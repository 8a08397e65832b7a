// SPDX-License-Identifier: BSD-3-Clause
#include "advise/steps.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace weft::advise {
namespace {

// One call per letter: capital letters wait, small ones post to rank 1, 'C' to 'E' are collectives, '!' marks a step. A
// digit posts a message of that many kilobytes, which the next wait completes.
void call(Recorder& recorder, const std::string& calls) {
  static std::uint64_t now = 0, request = 0;
  std::vector<std::uint64_t> pending;
  for (const char c : calls) {
    const auto address = static_cast<std::uint64_t>(c);
    now += 10;
    if (c == '!')
      recorder.called(address, "MPI_Pcontrol", Kind::mark, now, now);
    else if (c >= 'C' && c <= 'E')
      recorder.called(address, "MPI_Allreduce", Kind::collective, now, now + 5, 8,
                      recorder.stream(1, no_rank, -1, true));
    else if (c >= 'A' && c <= 'Z')
      recorder.completed(address, "MPI_Wait", Kind::wait, now, now + 5, std::exchange(pending, {}));
    else if (c >= '0' && c <= '9')
      recorder.posted('0', "MPI_Isend", Kind::post_send, now, now + 1, static_cast<std::uint64_t>(c - '0') * 1000,
                      recorder.stream(1, 1, '0', true), pending.emplace_back(++request));
    else
      recorder.posted(address, "MPI_Isend", Kind::post_send, now, now + 1, 8, recorder.stream(1, 1, c, true),
                      ++request);
  }
}

std::string repeated(int n, const std::string& text) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

struct Found {
  Steps steps;
  double calls = 0, points = 0;  // per step
  explicit Found(const std::string& calls_of_program) : Found(calls_of_program, {}) {}
  Found(const std::string& calls_of_program, const std::function<bool(const Site&)>& hint) {
    Recorder recorder(4096);
    call(recorder, calls_of_program);
    steps = find_steps(recorder, hint);
    if (steps.count() == 0) return;
    calls = static_cast<double>(steps.starts.back() - steps.starts.front()) / static_cast<double>(steps.count());
    points = static_cast<double>(sync_points(recorder.log(), steps.starts.front(), steps.starts.back()).size()) /
             static_cast<double>(steps.count());
  }
};

TEST(AdviseSteps, are_found_between_what_comes_before_and_after) {
  const Found found("CCQab" + repeated(30, "abcdWC") + "QRC");
  EXPECT_EQ(found.steps.by, Steps::By::period);
  EXPECT_NEAR(found.calls, 6, 0.3);
  EXPECT_NEAR(found.points, 2, 0.1);
  EXPECT_NEAR(static_cast<double>(found.steps.count()), 30, 1);
}

TEST(AdviseSteps, hold_several_halos_from_one_place) {
  const Found found(repeated(30, "abWabWabWC"));
  EXPECT_EQ(found.steps.by, Steps::By::period);
  EXPECT_DOUBLE_EQ(found.calls, 10);
  EXPECT_DOUBLE_EQ(found.points, 4);
}

TEST(AdviseSteps, are_not_ten_because_every_tenth_has_more) {
  const Found found(repeated(12, repeated(10, "abWX") + "C"));
  EXPECT_EQ(found.steps.by, Steps::By::period);
  EXPECT_NEAR(found.calls, 4.1, 0.02);
  EXPECT_NEAR(found.points, 1.1, 0.02);  // two consecutive waits are one completion point
}

// As in a conjugate-gradient solver: many halo exchanges from one place, and sums from others.
TEST(AdviseSteps, are_iterations_and_not_the_loops_inside) {
  for (const int halos : {11, 30, 60}) {
    const Found found(repeated(50, repeated(halos, "abH") + "CabHDE"));
    EXPECT_EQ(found.steps.by, Steps::By::period);
    EXPECT_DOUBLE_EQ(found.calls, 3 * halos + 6);
    EXPECT_EQ(found.steps.shorter.has_value(), halos > 11);
  }
}

// As in a multigrid solver: one place exchanges the halos of all grids, and one adds up all sums.
TEST(AdviseSteps, are_iterations_where_one_place_exchanges_several_grids) {
  for (const int grids : {2, 4, 8}) {
    std::string cycle;
    for (int grid = grids; grid > 0; --grid) cycle += std::to_string(grid) + "H" + std::to_string(grid) + "H";
    for (int grid = 1; grid <= grids; ++grid) cycle += std::to_string(grid) + "H";
    const Found found(repeated(40, cycle + "C" + std::to_string(grids) + "HCaC"));
    EXPECT_EQ(found.steps.by, Steps::By::period);
    EXPECT_DOUBLE_EQ(found.calls, 6 * grids + 6);
  }
}

// The messages of an adaptive mesh change from step to step.
TEST(AdviseSteps, may_have_messages_of_any_size) {
  std::string calls;
  for (int step = 0; step < 60; ++step)
    calls += std::to_string(step * step % 10) + "W" + std::to_string(step % 7) + "XC";
  const Found found(calls);
  EXPECT_EQ(found.steps.by, Steps::By::period);
  EXPECT_DOUBLE_EQ(found.calls, 5);
}

TEST(AdviseSteps, take_a_loop_over_neighbours_for_one_point) {
  const Found found(repeated(30, repeated(26, "ab") + repeated(26, "W")));
  EXPECT_EQ(found.steps.by, Steps::By::period);
  EXPECT_DOUBLE_EQ(found.calls, 78);
  EXPECT_DOUBLE_EQ(found.points, 1);
}

TEST(AdviseSteps, may_be_one_call) { EXPECT_DOUBLE_EQ(Found(repeated(50, "C")).calls, 1); }

TEST(AdviseSteps, may_be_one_call_between_others) {
  const Found found("DED" + repeated(100, "C") + "DE");
  EXPECT_EQ(found.steps.by, Steps::By::period);
  EXPECT_NEAR(found.calls, 1, 0.05);
}

// If a test finds that all is done, the wait after it waits for nothing.
TEST(AdviseSteps, are_all_found_where_some_waits_have_nothing_to_wait_for) {
  std::string calls;
  for (unsigned i = 0, random = 1; i < 200; ++i, random = random * 1664525 + 1013904223)
    calls += (random >> 28) < 1 ? "aW" : "1W";
  const Found found(calls);
  EXPECT_EQ(found.steps.by, Steps::By::period);
  EXPECT_NEAR(static_cast<double>(found.steps.count()), 200, 1);
}

TEST(AdviseSteps, are_the_whole_run_where_nothing_repeats) {
  EXPECT_EQ(Found("aWbXC").steps.by, Steps::By::nothing);
  EXPECT_EQ(Found("").steps.by, Steps::By::nothing);
  EXPECT_EQ(Found("aWbXC").steps.count(), 1U);
}

TEST(AdviseSteps, are_what_the_user_says) {
  const Found marked("aWC!" + repeated(9, "aWaWC!") + "aW");
  EXPECT_EQ(marked.steps.by, Steps::By::mark);
  EXPECT_EQ(marked.steps.count(), 9U);
  const Found hinted(repeated(12, "aWaWC"), [](const Site& site) { return site.address == 'C'; });
  EXPECT_EQ(hinted.steps.by, Steps::By::hint);
  EXPECT_DOUBLE_EQ(hinted.calls, 5);
  const Found both(repeated(12, "aWaWC!"), [](const Site& site) { return site.address == 'C'; });
  EXPECT_EQ(both.steps.by, Steps::By::hint);
}

TEST(AdviseSteps, are_named_by_any_text_of_a_report) {
  const Name place{"solver.c:88 solve", "solve", "/src/solver.c", 88};
  for (const auto* text : {"MPI_Wait", "solver.c:88", "88", "solve", "solver.c:88 solve", "solve (solver.c:88)",
                           "MPI_Wait in solve (solver.c:88)", "MPI_Wait at solver.c:88", "MPI_Wait solver.c:88 solve"})
    EXPECT_TRUE(names(text, "MPI_Wait", place)) << text;
  for (const auto* text : {"MPI_Waitall", "MPI_Wai", "solver.c:8", "solver.c:887", "MPI_Send in solve (solver.c:88)"})
    EXPECT_FALSE(names(text, "MPI_Wait", place)) << text;
  EXPECT_FALSE(names("", place));
}

TEST(AdviseSteps, wait_in_a_loop_of_tests_too) {
  for (const std::uint64_t between : {1, 1000}) {  // almost no computation between two tests, or much
    Recorder recorder(4096);
    std::uint64_t now = 1, request = 0;
    for (int step = 0; step < 20; ++step) {
      recorder.posted(1, "MPI_Isend", Kind::post_send, now, now + 1, 8, recorder.stream(1, 1, 0, true), ++request);
      for (int i = 0; i < 30; ++i, now += 10 + between) recorder.in_vain(2, "MPI_Test", Kind::test, now, now + 10);
      recorder.completed(2, "MPI_Test", Kind::test, now, now + 10, {{request}});
      now += 100;
    }
    const auto points = sync_points(recorder.log(), 0, recorder.log().count());
    EXPECT_EQ(points.size(), between == 1 ? 20U : 0U);
    EXPECT_EQ(recorder.sites()[1].fruitless, 600U);
    EXPECT_EQ(find_steps(recorder).count(), 19U);
  }
}

TEST(AdviseSteps, of_many_tests_in_vain_few_are_recorded) {
  Recorder recorder(4096);
  std::uint64_t now = 0, request = 0;
  recorder.posted(1, "MPI_Isend", Kind::post_send, now, now + 1, 8, recorder.stream(1, 1, 0, true), ++request);
  int looks = 0;
  const auto effort = recorder.effort();
  for (int i = 0; i < 3200; ++i, now += 11) {
    EXPECT_FALSE(recorder.is_one_of_many(3));  // another call site
    if (recorder.is_one_of_many(2)) {
      recorder.unseen_in_vain(2);
    } else {
      recorder.in_vain(2, "MPI_Test", Kind::test, now, now + 10);
      ++looks;
    }
  }
  EXPECT_EQ(looks, 64 + (3200 - 64) / 32);
  EXPECT_EQ(recorder.effort() - effort, static_cast<std::uint64_t>(looks));
  recorder.completed(2, "MPI_Test", Kind::test, now, now + 10, {{request}});
  const auto& site = recorder.sites()[1];
  EXPECT_EQ(site.fruitless, 3200U);
  EXPECT_EQ(site.calls, 3201U);
  EXPECT_EQ(site.ticks, 32010U);  // calls that were not recorded are taken to be as long as the next recorded one
  EXPECT_FALSE(recorder.is_one_of_many(2));
  EXPECT_EQ(sync_points(recorder.log(), 0, recorder.log().count()).size(), 1U);  // the whole time is one wait
}

TEST(AdviseSteps, a_test_in_vain_counts_at_its_own_place_though_another_thread_tests) {
  Recorder recorder(4096);
  for (int i = 0; i < 100; ++i) recorder.in_vain(2, "MPI_Test", Kind::test, 0, 1);
  EXPECT_TRUE(recorder.is_one_of_many(2));
  recorder.in_vain(3, "MPI_Iprobe", Kind::probe, 0, 1);
  recorder.unseen_in_vain(2);
  recorder.unseen_in_vain(3);
  recorder.end_spin();
  EXPECT_EQ(recorder.sites()[0].fruitless, 101U);
  EXPECT_EQ(recorder.sites()[1].fruitless, 2U);
}

TEST(AdviseLog, a_cancelled_receive_is_no_message) {
  Recorder recorder(1024);
  const auto stream = recorder.stream(1, 1, 0, false);
  for (std::uint64_t request = 1; request <= 3; ++request)
    recorder.posted(1, "MPI_Irecv", Kind::post_receive, 0, 1, 100, stream, request);
  recorder.completed(2, "MPI_Wait", Kind::wait, 2, 3, {{2}}, {{{.bytes = 0, .cancelled = true}}});
  recorder.completed(2, "MPI_Wait", Kind::wait, 2, 3, {{3}}, {{{.bytes = 1000}}});  // no more than there is room for
  EXPECT_EQ(recorder.log().find(0)->sequence, 0U);
  EXPECT_EQ(recorder.log().find(1)->stream, no_stream);
  EXPECT_EQ(recorder.log().find(2)->sequence, 1U);
  EXPECT_EQ(recorder.streams()[stream].messages, 2U);
  EXPECT_EQ(recorder.sites()[0].bytes, 200U);
}

TEST(AdviseLog, a_receive_is_corrected_though_another_thread_has_its_handle_already) {
  Recorder recorder(1024);
  const auto stream = recorder.stream(1, 1, 0, false);
  recorder.posted(1, "MPI_Irecv", Kind::post_receive, 0, 1, 100, stream, 7);
  const auto first = recorder.in_flight(7);
  recorder.posted(1, "MPI_Irecv", Kind::post_receive, 0, 1, 100, stream, 7);
  const auto second = recorder.in_flight(7);
  recorder.completed(2, "MPI_Wait", Kind::wait, 2, 3, {{7}}, {{{.bytes = 20, .of = second}}});
  recorder.completed(2, "MPI_Wait", Kind::wait, 2, 3, {{7}}, {{{.bytes = 10, .of = first}}});
  EXPECT_EQ(recorder.log().find(0)->bytes, 10U);
  EXPECT_EQ(recorder.log().find(1)->bytes, 20U);
  EXPECT_EQ(recorder.outstanding(), 0);
}

TEST(AdviseLog, keeps_the_first_and_the_last_events) {
  Recorder recorder(1024);
  call(recorder, repeated(1000, "abWC"));
  EXPECT_NE(recorder.log().find(255), nullptr);
  EXPECT_EQ(recorder.log().find(256), nullptr);
  EXPECT_EQ(recorder.log().last_part(), 4000U - 768U);
  for (auto n = recorder.log().last_part(); n < 4000; ++n) ASSERT_NE(recorder.log().find(n), nullptr);
  EXPECT_EQ(find_steps(recorder).by, Steps::By::period);
}

TEST(AdviseLog, looks_at_the_last_window_that_is_long_enough) {
  Recorder recorder(65536);
  call(recorder, repeated(3000, "aW"));
  recorder.rest();
  recorder.wake();
  call(recorder, repeated(10, "bXC"));
  EXPECT_EQ(recorder.last_window(), (std::pair<std::uint64_t, std::uint64_t>(0, 6000)));
  EXPECT_EQ(recorder.counted_until(), 6000U);
  call(recorder, repeated(3000, "bXC"));
  EXPECT_EQ(recorder.last_window(), (std::pair<std::uint64_t, std::uint64_t>(6000, 15030)));
  for (int i = 0; i < 10; ++i) {
    recorder.rest();
    recorder.wake();
    call(recorder, repeated(2000, "aWC"));
  }
  EXPECT_EQ(recorder.last_window(), (std::pair<std::uint64_t, std::uint64_t>(15030 + 9 * 6000, 15030 + 10 * 6000)));
  EXPECT_EQ(recorder.counted_until(), 6000U);
}

}  // namespace
}  // namespace weft::advise
