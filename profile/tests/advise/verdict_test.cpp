// SPDX-License-Identifier: BSD-3-Clause
#include "advise/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

#include "advise/table.hpp"

namespace weft::advise {
namespace {

constexpr std::uint64_t microsecond = 1000;  // one tick is one nanosecond here
constexpr std::uint64_t large = 262144, small = 8;

// Two ranks. The transfer time is 100 us for a large message and 1 us for a small one.
NetworkModel network() {
  NetworkModel model;
  model.near.seconds = {1e-6, 2e-6, 10e-6, 100e-6, 800e-6};
  model.near.eager_bytes = 4096;
  model.near.message_seconds = 0.5e-6;
  model.far = model.near;
  model.node = {0, 0};
  model.wait_seconds = 50e-9;
  return model;
}

// Ten steps of 1 ms. In each, a receive is posted at 0 us and waited for from `waited` to `complete`; the sender posts
// at `theirs`.
struct Program {
  Recorder recorder{4096};
  Steps steps;
  std::vector<OtherSide> others;

  Program(std::uint64_t bytes, std::uint64_t waited, std::uint64_t complete, std::uint64_t theirs) {
    std::uint64_t request = 1;
    steps.starts.push_back(0);
    for (std::uint64_t step = 0; step < 10; ++step) {
      const auto at = [&](std::uint64_t us) { return (1000 * step + us) * microsecond; };
      recorder.posted(1, "MPI_Irecv", Kind::post_receive, at(0), at(0) + 100, bytes, recorder.stream(1, 1, 0, false),
                      request);
      recorder.completed(2, "MPI_Wait", Kind::wait, at(waited), at(complete) + 20, {{request}});
      ++request;
      others.push_back({true, static_cast<double>(at(theirs)) * 1e-9});
      others.push_back({});
      steps.starts.push_back(recorder.log().count());
    }
  }
  Verdict verdict(double alone = -1, double more_computation = 0, double waited = 0, double waited_alone = 0) const {
    static const auto model = network();
    Judge judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others, waited,
                {alone, waited_alone});
    judge.compare_with_replay(judge.computation() + more_computation);
    return judge.verdict();
  }
  double overlapped() const { return verdict().step.overlapped_seconds / verdict().step.needed_seconds; }
  double helper() const { return verdict().step.helper_seconds; }
};

// Two messages are posted at 0, and waited for together: large ones come one after the other, of small ones both take a
// latency.
TEST(AdviseVerdict, messages_of_one_wait_share_what_is_exposed) {
  const auto overlap = [](std::uint64_t bytes, double waited_us, double complete_us) {
    Recorder recorder(4096);
    Steps steps;
    steps.starts.push_back(0);
    std::uint64_t request = 1;
    for (std::uint64_t step = 0; step < 10; ++step) {
      const auto at = [&](double us) {
        return static_cast<std::uint64_t>((1000 * static_cast<double>(step) + us) * microsecond);
      };
      for (int k = 0; k < 2; ++k)
        recorder.posted(1, "MPI_Irecv", Kind::post_receive, at(0), at(0), bytes, recorder.stream(1, 1, 0, false),
                        request + static_cast<std::uint64_t>(k));
      recorder.completed(2, "MPI_Waitall", Kind::wait, at(waited_us), at(complete_us), {{request, request + 1}});
      request += 2;
      steps.starts.push_back(recorder.log().count());
    }
    std::vector<OtherSide> others(recorder.log().count());
    for (std::uint64_t n = 0; n < others.size(); ++n)
      if (const auto& event = *recorder.log().find(n); event.kind == Kind::post_receive)
        others[n] = {true, static_cast<double>(event.start) * 1e-9};
    const auto model = network();
    const auto step = Judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others).verdict().step;
    return step.overlapped_seconds / step.needed_seconds;
  };
  EXPECT_NEAR(overlap(large, 50, 200), 0.25, 0.01);  // alone 200 us, of which 150 us are waited for
  EXPECT_NEAR(overlap(large, 0, 200), 0, 0.01);
  EXPECT_NEAR(overlap(large, 200, 200), 1, 0.01);
  EXPECT_NEAR(overlap(small, 0.5, 1.5), 0, 0.01);  // longer than a call that returns at once
}

TEST(AdviseRegions, have_names_in_each_other) {
  Regions regions;
  EXPECT_EQ(regions.current(), 0);
  const auto step = regions.enter("step"), halo = regions.enter("halo");
  EXPECT_EQ(regions.all()[halo].name, "step/halo");
  EXPECT_EQ(regions.all()[halo].parent, step);
  EXPECT_EQ(regions.leave("other"), halo);  // not open
  EXPECT_EQ(regions.leave("halo"), step);
  EXPECT_EQ(regions.enter("halo"), halo);
  EXPECT_EQ(regions.leave("step"), 0);  // also ends what is inside
  EXPECT_EQ(regions.leave("halo"), 0);
  EXPECT_NE(regions.enter("halo"), halo);
  regions.leave("halo");
  const auto again = regions.enter("again");
  EXPECT_EQ(regions.enter("again"), again);
  EXPECT_EQ(regions.leave("again"), again);
  EXPECT_EQ(regions.leave("again"), 0);
  for (int i = 0; i < 1000; ++i) {
    regions.enter(std::to_string(i).c_str());
    regions.leave(std::to_string(i).c_str());
  }
  EXPECT_EQ(regions.all().size(), Regions::most + 1);
}

// In each of 32 steps of 1 ms two messages of 100 us: one in "good", 500 us before its wait, and one in "bad", which is
// waited for at once (in every fourth step it is there already). "around" contains both.
TEST(AdviseRegions, have_the_overlap_of_the_messages_that_they_post) {
  Recorder recorder(4096);
  recorder.enter_region("around", 0, false);
  Steps steps;
  steps.starts.push_back(0);
  std::uint64_t request = 1;
  for (std::uint64_t step = 0; step < 32; ++step) {
    const auto at = [&](std::uint64_t us) { return (1000 * step + us) * microsecond; };
    const auto message = [&](std::uint64_t from, std::uint64_t waited, std::uint64_t complete) {
      recorder.posted(1, "MPI_Irecv", Kind::post_receive, at(from), at(from), large, recorder.stream(1, 1, 0, false),
                      request);
      recorder.completed(2, "MPI_Wait", Kind::wait, at(waited), at(complete), {{request++}});
    };
    recorder.enter_region("good", at(0), true);
    message(0, 500, 500);
    recorder.leave_region("good", at(500), true);
    recorder.enter_region("bad", at(600), true);
    message(600, step % 4 == 0 ? 900 : 600, step % 4 == 0 ? 900 : 700);
    recorder.leave_region("bad", at(900), true);
    recorder.called(3, "MPI_Barrier", Kind::collective, at(1000) - 10, at(1000));
    steps.starts.push_back(recorder.log().count());
  }
  std::vector<OtherSide> others(recorder.log().count());
  for (std::uint64_t n = 0; n < others.size(); ++n)
    if (const auto& event = *recorder.log().find(n); event.kind == Kind::post_receive)
      others[n] = {true, static_cast<double>(event.start) * 1e-9};
  const auto model = network();
  for (const bool replayed : {false, true}) {
    Judge judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others, 0,
                {replayed ? 200e-6 : -1});
    judge.compare_with_replay(judge.computation());
    const auto regions = judge.verdict().regions;
    ASSERT_EQ(regions.size(), 4U);
    const auto& [whole, around, good, bad] = std::tie(regions[0], regions[1], regions[2], regions[3]);
    const auto fraction = [](const RegionVerdict& r) {
      return r.sums.overlapped_seconds / r.sums.overlappable_seconds;
    };
    EXPECT_NEAR(good.seconds / 32, 500e-6, 1e-9);
    EXPECT_NEAR(bad.seconds / 32, 300e-6, 1e-9);
    EXPECT_NEAR(around.seconds / 32, 1000e-6, 1e-9);
    EXPECT_NEAR(whole.seconds, around.seconds, 1e-12);
    EXPECT_EQ(good.sums.calls, 32);
    EXPECT_EQ(around.sums.calls, 0);  // entered before the steps
    EXPECT_NEAR(bad.sums.inside_seconds / 32, 75e-6, 1e-9);
    EXPECT_EQ(good.sums.messages, 32);
    EXPECT_EQ(whole.sums.messages, 64);
    if (!replayed) {
      EXPECT_NEAR(fraction(good), 1, 1e-9);
      EXPECT_NEAR(fraction(bad), 0.25, 1e-9);
    }
    EXPECT_GT(fraction(good), fraction(bad));
    EXPECT_NEAR(fraction(whole), 0.625, replayed ? 0.01 : 1e-9);
    const auto interval = interval_of(whole.blocks);
    ASSERT_TRUE(interval);
    EXPECT_NEAR((*interval)[0], fraction(whole), 0.02);  // all blocks are alike
    EXPECT_NEAR((*interval)[1], fraction(whole), 0.02);
  }
}

TEST(AdviseRegions, have_an_interval_by_students_t) {
  Blocks blocks;
  blocks.overlappable.fill(1);
  blocks.overlapped = {0.5, 0.6, 0.5, 0.6, 0.5, 0.6, 0.5, 0.6};
  const auto interval = interval_of(blocks);
  ASSERT_TRUE(interval);
  EXPECT_NEAR((*interval)[1] - 0.55, 2.365 * 0.053452 / std::sqrt(8.0), 1e-5);
  EXPECT_NEAR(0.55 - (*interval)[0], (*interval)[1] - 0.55, 1e-12);
  blocks.overlappable[3] = 0;
  EXPECT_FALSE(interval_of(blocks));
}

TEST(AdviseVerdict, a_wait_that_finds_all_done_hid_all) {
  const Program program(large, 500, 500, 0);
  EXPECT_DOUBLE_EQ(program.overlapped(), 1);
  EXPECT_EQ(program.helper(), 0);
  EXPECT_NEAR(program.verdict().sites[0].flight_seconds / 10, 100e-6, 1e-9);  // not the 500 us until the wait
}

TEST(AdviseVerdict, nobody_drove_what_was_posted_early_and_waited_for_late) {
  const Program program(large, 500, 600, 0);
  EXPECT_NEAR(program.overlapped(), 0, 1e-3);
  EXPECT_NEAR(program.helper(), 100e-6, 1e-6);
  EXPECT_NEAR(program.verdict().sites[1].helper_seconds / 10, 100e-6, 1e-6);
}

TEST(AdviseVerdict, a_helper_saves_no_more_than_what_a_message_needs) {
  EXPECT_NEAR(Program(large, 500, 900, 0).helper(), 100e-6, 1e-6);
  EXPECT_NEAR(Program(large, 30, 130, 0).helper(), 30e-6, 1e-6);  // and not more than the time available for overlap
}

// Ten steps of four collectives. After each post the program computes for 0.1 ms, and is in another call for 0.3 ms.
TEST(AdviseVerdict, a_helper_overlaps_no_more_than_the_computation) {
  Recorder recorder(4096);
  Steps steps;
  steps.starts.push_back(0);
  std::vector<OtherSide> others;
  for (std::uint64_t step = 0; step < 10; ++step) {
    const auto at = [&](std::uint64_t us) { return (10000 * step + us) * microsecond; };
    for (std::uint64_t i = 0; i < 4; ++i) {  // each posted when the one before is complete
      const auto stream = recorder.stream(1, no_rank, -1, true);
      recorder.posted(1, "MPI_Ialltoall", Kind::post_collective, at(2400 * i), at(2400 * i), 8 * large, stream, i + 1);
      recorder.called(3, "MPI_Recv", Kind::receive, at(2400 * i + 100), at(2400 * i + 400));
      recorder.completed(2, "MPI_Wait", Kind::wait, at(2400 * i + 400), at(2400 * i + 2400), {{i + 1}});
      others.insert(others.end(), {{true, static_cast<double>(at(2400 * i)) * 1e-9}, {}, {}});
    }
    steps.starts.push_back(recorder.log().count());
  }
  const auto model = network();
  const auto step = Judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others).verdict().step;
  EXPECT_GT(step.helper_seconds, 0);
  EXPECT_LE(step.helper_seconds + step.overlapped_seconds, 0.8e-3);  // it computes for 0.4 ms, and 0.4 ms at the end
}

TEST(AdviseVerdict, a_helper_does_not_help_where_there_is_nothing_to_hide_behind) {
  const Program program(large, 0, 100, 0);
  EXPECT_NEAR(program.overlapped(), 0, 1e-3);
  EXPECT_GT(program.verdict().step.overlappable_seconds, 0);  // the next step's
  EXPECT_NEAR(program.helper(), 0, 1e-6);
}

TEST(AdviseVerdict, a_message_needs_no_more_than_it_took) {
  const Program program(large, 0, 20, 0);  // 100 us were measured in other steps
  EXPECT_EQ(program.overlapped(), 0);
  EXPECT_LT(program.verdict().step.needed_seconds, 21e-6);
}

TEST(AdviseVerdict, what_the_messages_take_alone_is_what_can_be_overlapped) {
  // 400 us of computation before the wait, in a step of 1 ms: 500 us wait.
  const auto all = Program(large, 400, 900, 0).verdict(900e-6).step;
  EXPECT_NEAR(all.needed_seconds, 900e-6, 1e-9);
  EXPECT_NEAR(all.overlapped_seconds, 400e-6, 1e-6);
  EXPECT_NEAR(overlap_fraction(all.overlapped_seconds, all.overlappable_seconds), 0.8, 0.03);  // of 500 us
  EXPECT_NEAR(all.exposed_seconds, 500e-6, 1e-6);
  const auto none = Program(large, 400, 900, 0).verdict(500e-6).step;
  EXPECT_NEAR(none.overlapped_seconds, 0, 1e-6);
  const auto half = Program(large, 400, 900, 0).verdict(700e-6).step;
  EXPECT_NEAR(half.overlapped_seconds, 200e-6, 1e-6);
  // A message that is waited for where it is posted hides nothing, however long it takes alone.
  EXPECT_EQ(Program(large, 0, 500, 0).verdict(900e-6).step.overlapped_seconds, 0);
}

TEST(AdviseVerdict, waiting_for_a_rank_that_computes_longer_is_no_communication) {
  const Program program(small, 400, 900, 850);  // waits for 450 us until it is sent
  EXPECT_NEAR(program.verdict().step.late_seconds, 450e-6, 1e-6);
  EXPECT_NEAR(program.verdict(600e-6, 0).step.overlapped_seconds, 100e-6, 1e-6);
  EXPECT_NEAR(program.verdict(600e-6, 200e-6).step.overlapped_seconds, 300e-6, 1e-6);
  EXPECT_NEAR(program.verdict(600e-6, 500e-6).step.overlapped_seconds, 400e-6,
              1e-6);  // all the computation before the wait
  const Program early(large, 400, 900, 0);
  EXPECT_NEAR(early.verdict(600e-6, 400e-6).step.overlapped_seconds, 100e-6, 1e-6);  // it is not late, so it all counts
}

// A message that needs 100 us alone: post, a barrier of 80 us in which it may advance, computation, wait.
TEST(AdviseVerdict, what_advances_in_another_call_is_not_behind_computation) {
  const auto overlapped = [](std::uint64_t bytes, std::uint64_t barrier_from, std::uint64_t sent = 100) {
    Recorder recorder(4096);
    Steps steps;
    steps.starts.push_back(0);
    std::vector<OtherSide> others;
    for (std::uint64_t step = 0; step < 10; ++step) {
      const auto at = [&](std::uint64_t us) { return (1000 * step + us) * microsecond; };
      const auto barrier = [&] {
        recorder.called(3, "MPI_Barrier", Kind::collective, at(barrier_from), at(barrier_from + 80), 0,
                        recorder.stream(1, 1, 0, false));
        others.push_back({true, static_cast<double>(at(barrier_from)) * 1e-9});
      };
      if (barrier_from < 100) barrier();
      recorder.posted(1, "MPI_Irecv", Kind::post_receive, at(100), at(100), bytes, recorder.stream(1, 1, 0, false),
                      step + 1);
      others.push_back({true, static_cast<double>(at(sent)) * 1e-9});
      if (barrier_from > 100) barrier();
      recorder.completed(2, "MPI_Wait", Kind::wait, at(900), at(900), {{step + 1}});
      others.push_back({});
      steps.starts.push_back(recorder.log().count());
    }
    const auto model = network();
    Judge judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others, 0, {100e-6, 0});
    judge.compare_with_replay(judge.computation());
    double of_messages = 0;
    const auto verdict = judge.verdict();
    for (std::size_t site = 0; site < verdict.sites.size(); ++site)
      if (recorder.sites()[site].call == std::string_view("MPI_Irecv"))
        of_messages += verdict.sites[site].overlapped_seconds / 10;
    return of_messages;
  };
  EXPECT_NEAR(overlapped(large, 0), 100e-6, 1e-6);
  EXPECT_NEAR(overlapped(large, 101), 20e-6, 2e-6);
  EXPECT_NEAR(overlapped(large, 500), 20e-6, 2e-6);        // without calls it did not advance before
  EXPECT_NEAR(overlapped(large, 101, 600), 100e-6, 1e-6);  // not sent yet
  EXPECT_NEAR(overlapped(small, 101), 20e-6, 2e-6);
  EXPECT_NEAR(overlapped(small, 500), 100e-6, 1e-6);  // eager: it was there
}

// Two messages in each of the first ten steps, one in the others, which are sent again.
TEST(AdviseVerdict, a_replay_is_of_the_last_steps) {
  Recorder recorder(4096);
  Steps steps;
  steps.starts.push_back(0);
  std::vector<OtherSide> others;
  for (std::uint64_t step = 0, request = 1; step < 20; ++step) {
    for (std::uint64_t i = 0; i < (step < 10 ? 2 : 1); ++i, ++request) {
      const auto at = (1000 * step + 400 * i) * microsecond;
      recorder.posted(1, "MPI_Irecv", Kind::post_receive, at, at + 100, large, recorder.stream(1, 1, 0, false),
                      request);
      recorder.completed(2, "MPI_Wait", Kind::wait, at + 10 * microsecond, at + 200 * microsecond, {{request}});
      others.push_back({true, static_cast<double>(at) * 1e-9});
      others.push_back({});
    }
    steps.starts.push_back(recorder.log().count());
  }
  const auto model = network();
  Judge judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others, 0,
              {200e-6, 0, steps.starts[10]});
  judge.compare_with_replay(judge.computation());
  EXPECT_NEAR(judge.verdict().step.needed_seconds, 300e-6, 1e-9);
}

TEST(AdviseVerdict, a_long_output_does_not_outweigh_the_other_steps) {
  Recorder recorder(4096);
  Steps steps;
  steps.starts.push_back(0);
  std::vector<OtherSide> others;
  std::uint64_t now = 0;
  for (std::uint64_t step = 0; step < 32; ++step) {
    const auto at = [&](std::uint64_t us) { return now + us * microsecond; };
    recorder.posted(1, "MPI_Irecv", Kind::post_receive, at(0), at(0), large, recorder.stream(1, 1, 0, false), step + 1);
    recorder.completed(2, "MPI_Wait", Kind::wait, at(900), at(900), {{step + 1}});
    others.push_back({true, static_cast<double>(now) * 1e-9});
    others.push_back({});
    now = at(1000);
    if (step == 20) {
      recorder.called(3, "MPI_Recv", Kind::receive, now, at(50000), 100 * large, recorder.stream(1, 1, 0, false));
      others.push_back({true, static_cast<double>(now) * 1e-9});
      now = at(50000);
    }
    steps.starts.push_back(recorder.log().count());
  }
  const auto model = network();
  Judge judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others, 0,
              {100e-6, 0, steps.starts[24]});
  judge.compare_with_replay(judge.computation());
  EXPECT_NEAR(judge.verdict().step.overlapped_seconds * 32, 28 * 100e-6, 1e-5);
}

TEST(AdviseVerdict, cores_that_other_programs_take_are_no_communication) {
  const auto overlapped = [](double waited, double waited_alone) {
    return Program(large, 500, 500, 0).verdict(100e-6, 0, waited, waited_alone).step.overlapped_seconds;
  };
  EXPECT_NEAR(overlapped(0, 0), 100e-6, 1e-6);
  EXPECT_NEAR(overlapped(0.2, 0.2), 100e-6, 1e-6);  // also while only messages are sent
  EXPECT_NEAR(overlapped(0.2, 0), 100e-6, 1e-6);
  EXPECT_NEAR(overlapped(0.03, 0.3), 70e-6, 2e-6);                          // 30 us per step, in both: the messages
  EXPECT_NEAR(overlapped(0.2 + 0.03 * 0.9, 0.2 + 0.3 * 0.9), 73e-6, 1e-6);  // both together
}

// Two messages of 100 us, of which the other rank posts one at 0 us, and the other at 900 us. A wait from 800 us to
// 950 us is for the second one.
TEST(AdviseVerdict, a_wait_for_a_late_message_is_none_for_those_before_it) {
  Recorder recorder(64);
  const auto at = [](std::uint64_t us) { return us * microsecond; };
  for (const std::uint64_t request : {1, 2})
    recorder.posted(request, "MPI_Irecv", Kind::post_receive, at(0), at(0), large,
                    recorder.stream(1, 1, static_cast<int>(request), false), request);
  recorder.completed(3, "MPI_Waitall", Kind::wait, at(800), at(950), {{1, 2}});
  Steps steps;
  steps.starts = {0, recorder.log().count()};
  std::vector<OtherSide> others(recorder.log().count());
  others[0] = {true, 0};
  others[1] = {true, 900e-6};
  const auto model = network();
  const Judge judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others);
  EXPECT_NEAR(judge.flight(0).overlapped, 75e-6, 1e-6);  // in the last 50 us both may be under way
  EXPECT_NEAR(judge.flight(1).overlapped, 0, 1e-6);
}

TEST(AdviseVerdict, nothing_more_is_gained_where_all_computation_is_overlapped) {
  auto step = Program(large, 400, 900, 0).verdict(1000e-6).step;  // 1 ms alone, behind 500 us
  EXPECT_NEAR(overlap_fraction(step.overlapped_seconds, step.overlappable_seconds), 0.8, 0.03);
  EXPECT_LE(step.helper_seconds, 100e-6 + 1e-9);
  Report report;
  report.mean = report.most = step;
  advise(report);
  for (const auto& advice : report.advice) EXPECT_LE(advice.gain_seconds, 100e-6 + 1e-9) << advice.text;
}

TEST(AdviseVerdict, time_in_other_calls_hides_nothing) {
  Recorder recorder(4096);
  Steps steps;
  steps.starts.push_back(0);
  recorder.posted(1, "MPI_Irecv", Kind::post_receive, 0, 100, large, recorder.stream(1, 1, 0, false), 1);
  recorder.called(3, "MPI_Send", Kind::send, 10 * microsecond, 480 * microsecond);
  recorder.completed(2, "MPI_Wait", Kind::wait, 500 * microsecond, 500 * microsecond + 20, {{1}});
  steps.starts.push_back(recorder.log().count());
  const auto model = network();
  const std::vector<OtherSide> others = {{true, 0}, {}, {}};
  const auto step = Judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), others).verdict().step;
  EXPECT_NEAR(step.needed_seconds, 100e-6, 1e-9);
  EXPECT_NEAR(step.overlapped_seconds, 29.9e-6, 1e-9);
  // The step has no more computation to overlap it with.
  EXPECT_NEAR(step.overlappable_seconds, 29.9e-6, 1e-7);
  EXPECT_NEAR(overlap_fraction(step.overlapped_seconds, step.overlappable_seconds), 1, 1e-2);
}

TEST(AdviseVerdict, a_peer_that_is_late_is_not_helped) {
  const Program program(large, 100, 600, 500);
  EXPECT_EQ(program.helper(), 0);
  EXPECT_NEAR(program.verdict().sites[0].late_seconds / 10, 400e-6, 1e-6);
}

TEST(AdviseVerdict, small_messages_travel_by_themselves) {
  EXPECT_EQ(Program(small, 500, 510, 0).helper(), 0);
  EXPECT_DOUBLE_EQ(Program(small, 500, 500, 0).overlapped(), 1);
}

TEST(AdviseVerdict, a_small_message_is_overlapped_or_not_at_its_receiver) {
  Recorder recorder(4096);
  Steps steps;
  steps.starts.push_back(0);
  recorder.posted(1, "MPI_Isend", Kind::post_send, 0, 100, small, recorder.stream(1, 1, 0, true), 1);
  recorder.completed(2, "MPI_Wait", Kind::wait, 200, 300, {{1}});
  steps.starts.push_back(recorder.log().count());
  const auto model = network();
  const auto verdict =
      Judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), std::vector<OtherSide>(2)).verdict();
  EXPECT_EQ(verdict.sites[0].messages, 1);
  EXPECT_EQ(verdict.step.needed_seconds, 0);
  const auto received = Program(small, 0, 10, 0).verdict().step;
  EXPECT_NEAR(received.exposed_seconds, received.needed_seconds, 1e-7);
}

TEST(AdviseVerdict, of_whom_nothing_is_known_nothing_is_said) {
  Program program(large, 500, 600, 0);
  for (auto& other : program.others) other.known = false;
  EXPECT_EQ(program.helper(), 0);
  EXPECT_EQ(program.verdict().step.matched, 0);
}

TEST(AdviseVerdict, counts_what_could_be_one_message_and_one_point) {
  Recorder recorder(4096);
  Steps steps;
  steps.starts.push_back(0);
  std::uint64_t now = 0, request = 0;
  const auto next = [&] { return now += 100; };
  for (int step = 0; step < 5; ++step) {
    for (int half = 0; half < 2; ++half) {
      for (int tag = 0; tag < 3; ++tag, next())
        recorder.posted(1, "MPI_Isend", Kind::post_send, now, now + 50, small, recorder.stream(1, 1, tag, true),
                        ++request);
      recorder.completed(2, "MPI_Waitall", Kind::wait, now, now + 2000, {{request - 2, request - 1, request}});
      now += 2000;
    }
    recorder.called(3, "MPI_Allreduce", Kind::collective, now, now + 2000, 8, recorder.stream(1, no_rank, -1, true));
    now += 2000;
    next();
    steps.starts.push_back(recorder.log().count());
  }
  const auto model = network();
  Report report;
  report.mean = report.most =
      Judge(recorder, steps, model, TickScale({0, 0}, {1'000'000'000, 1.0}, 0), {}).verdict().step;
  EXPECT_EQ(report.mean.messages, 6);
  EXPECT_EQ(report.mean.messages_to_a_peer, 6);
  EXPECT_EQ(report.mean.packed_to_a_peer, 2);
  EXPECT_NEAR(report.mean.coalesce_seconds, 4 * 0.5e-6, 1e-12);
  EXPECT_EQ(report.mean.sync_points, 3);
  EXPECT_NEAR(report.mean.sync_seconds, 2e-6, 1e-12);  // two latencies less
  EXPECT_EQ(recorder.outstanding(), 0);
  advise(report);
  ASSERT_GE(report.advice.size(), 2U);
  EXPECT_NE(table_of(report).find("6 messages per step to one neighbour could be 2"), std::string::npos);
  EXPECT_NE(table_of(report).find("3 waits per step could be 1"), std::string::npos);
}

TEST(AdviseVerdict, a_handle_that_comes_again_is_a_message_that_left_at_once) {
  Recorder recorder(4096);
  const auto stream = recorder.stream(1, 1, 0, true);
  for (std::uint64_t i = 0; i < 3; ++i)
    recorder.posted(1, "MPI_Isend", Kind::post_send, 10 * i, 10 * i + 5, small, stream, 7);
  recorder.completed(2, "MPI_Waitall", Kind::wait, 100, 110, {{std::uint64_t{7}, std::uint64_t{7}, std::uint64_t{7}}});
  EXPECT_EQ(recorder.outstanding(), 0);
  EXPECT_EQ(recorder.log().find(0)->complete, 5U);
  EXPECT_EQ(recorder.log().find(1)->complete, 15U);
  EXPECT_EQ(recorder.log().find(2)->complete, 110U);
}

}  // namespace
}  // namespace weft::advise
