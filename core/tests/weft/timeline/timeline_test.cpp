// SPDX-License-Identifier: BSD-3-Clause
#include "weft/timeline/timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/core_ranks.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/overlap_fraction.hpp"
#include "weft/transport/in_process.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre, ::testing::HasSubstr;

// Rank r computes for r + 1 s in each of two steps, and waits for 1 s.
TEST(Timeline, is_reported_without_a_step_manager) {
  run_in_process(2, [](Transport& world) {
    Timeline timeline;
    const double computed = 2.0 * (world.rank() + 1);
    timeline.add(timeline.track("cells"), Activity::compute, 0, computed);
    timeline.add(timeline.track("exchange"), Activity::wait, 10, 12);
    timeline.add(timeline.track("exchange"), Activity::in_flight, 8, 12);
    const auto report = overlap_report(world, timeline, 2, {"cells", "never seen"});
    EXPECT_EQ(report.clients.size(), 2U);
    EXPECT_DOUBLE_EQ(report.clients[0].compute, 1.5);
    EXPECT_DOUBLE_EQ(report.clients[1].compute, 0);
    EXPECT_DOUBLE_EQ(report.total.waited_share(), 0.5);
    EXPECT_DOUBLE_EQ(report.computation_seconds, 2);
    EXPECT_DOUBLE_EQ(report.step_seconds, 3);
    EXPECT_EQ(report.text().find("waits per step"), std::string::npos);
    const auto json = nlohmann::json::parse(report.json());
    EXPECT_EQ(json["regions"][0]["name"], "cells");
    EXPECT_FALSE(json["mean"].contains("interval"));
    EXPECT_FALSE(json.contains("profile"));
  });
}

TEST(OverlapFraction, is_the_overlapped_time_over_the_shorter_one) {
  EXPECT_DOUBLE_EQ(overlap_fraction(10, 15, 25), 0);
  EXPECT_DOUBLE_EQ(overlap_fraction(10, 15, 20), 0.5);
  EXPECT_DOUBLE_EQ(overlap_fraction(10, 15, 15), 1);
  EXPECT_DOUBLE_EQ(overlap_fraction(20, 5, 22.5), 0.5);  // of the computation, which is shorter here
  EXPECT_DOUBLE_EQ(overlap_fraction(10, 10, 15), 0.5);
}

TEST(OverlapFraction, stays_between_0_and_1) {
  EXPECT_EQ(overlap_fraction(10, 15, 14), 1);  // noise, or the communication became shorter
  EXPECT_EQ(overlap_fraction(10, 15, 30), 0);
  EXPECT_EQ(overlap_fraction(0, 15, 15), 0);
  EXPECT_EQ(overlap_fraction(10, 0, 10), 0);
  EXPECT_DOUBLE_EQ(overlap_slowdown(10, 15, 30), 5);
  EXPECT_EQ(overlap_slowdown(10, 15, 20), 0);
}

OverlapReport of_times(double communication, double computation, double both) {
  OverlapReport report;
  report.ranks = 2;
  report.is_counted = true;
  report.exchange_seconds = communication;
  report.computation_seconds = computation;
  report.step_seconds = both;
  return report;
}

// What is printed reproduces the fraction.
TEST(OverlapReport, prints_the_times_that_its_fraction_is_made_of) {
  EXPECT_THAT(of_times(2e-3, 10e-3, 10.5e-3).text(),
              HasSubstr("slowest rank, per step: computation 10.00 ms, communication alone 2.00 ms, both overlapped "
                        "10.50 ms\n  overlap fraction: 0.75\n"));
  EXPECT_THAT(of_times(2e-3, 10e-3, 13.5e-3).text(),
              HasSubstr("overlap fraction: 0.00 (both overlapped take 1.50 ms longer than one after the other)\n"));
  EXPECT_THAT(of_times(2e-3, 10e-3, 9e-3).text(), HasSubstr("overlap fraction: 1.00\n"));
  EXPECT_THAT(of_times(2e-5, 10e-3, 10e-3).text(),
              HasSubstr("overlap fraction: not given, as communication is only 0.2 % of the computation\n"));
  const auto json = nlohmann::json::parse(of_times(2e-3, 10e-3, 13.5e-3).json());
  EXPECT_EQ(json["mean"]["overlap_fraction"], 0);
}

// 1 s of exchange, of which the client waits for 0.25 s in each step, or for 0 and 0.5 s in turn.
nlohmann::json of_waits(double even, double odd, int steps) {
  nlohmann::json result;
  run_in_process(2, [&](Transport& world) {
    Timeline timeline;
    const auto track = timeline.track("cells"), whole = timeline.track("exchange");
    for (int step = 0; step < steps; ++step) {
      const double wait = step % 2 == 0 ? even : odd;
      timeline.add(track, Activity::compute, 0, 4);
      for (const auto t : {track, whole}) {
        timeline.add(t, Activity::wait, 0, wait);
        timeline.add(t, Activity::in_flight, 0, 4 + wait);
      }
      timeline.end_step();
    }
    auto report = overlap_report(world, timeline, steps, {"cells"});
    report.is_counted = true;
    report.exchange_seconds = 1;
    report.profile.clients.push_back({.name = "cells", .alone = {.messages = 1}});
    if (world.rank() == 0) result = nlohmann::json::parse(report.json());
  });
  return result;
}

TEST(OverlapReport, has_clients_as_regions_with_intervals) {
  const auto steady = of_waits(0.25, 0.25, 100), unsteady = of_waits(0, 0.5, 20), few = of_waits(0.25, 0.25, 6);
  for (const auto& json : {steady, unsteady, few})
    for (const auto& part : {json["mean"], json["regions"][0]}) {
      EXPECT_DOUBLE_EQ(part["needed_seconds"], 1);
      EXPECT_NEAR(part["overlap_fraction"], 0.75, 1e-6);
    }
  EXPECT_NEAR(steady["mean"]["interval"][0], 0.75, 1e-6);
  EXPECT_NEAR(steady["regions"][0]["interval"][1], 0.75, 1e-6);
  // 20 parts of 0.5 and 1, whose mean has a standard error of 0.0574.
  EXPECT_NEAR(unsteady["regions"][0]["interval"][0], 0.75 - 2.1 * 0.0574, 3e-3);
  EXPECT_NEAR(unsteady["mean"]["interval"][1], 0.75 + 2.1 * 0.0574, 3e-3);
  EXPECT_FALSE(few["mean"].contains("interval"));
}

// Every number of steps leaves parts that make up the run but for its last steps.
TEST(Timeline, keeps_equal_parts) {
  Timeline timeline;
  const auto a = timeline.track("a");
  for (int step = 1; step <= 1000; ++step) {
    timeline.add(a, Activity::compute, 0, step);
    timeline.end_step();
    ASSERT_LT(timeline.parts(), 32U);
    ASSERT_GE(timeline.parts(), std::min<std::size_t>(16, static_cast<std::size_t>(step)));
    double sum = 0;
    for (std::size_t p = 0; p < timeline.parts(); ++p) sum += timeline.seconds_of_part(p, a, Activity::compute);
    const auto last = static_cast<std::int64_t>(timeline.parts()) * timeline.steps_of_part();
    ASSERT_EQ(sum, 0.5 * static_cast<double>(last * (last + 1)));
    ASSERT_LT(step - last, timeline.steps_of_part());
  }
  timeline.reset();
  EXPECT_EQ(timeline.parts(), 0U);
}

TEST(Timeline, sums_what_is_added) {
  Timeline timeline;
  const auto a = timeline.track("a"), b = timeline.track("b");
  EXPECT_EQ(timeline.track("a"), a);
  EXPECT_THAT(timeline.tracks(), ElementsAre("a", "b"));
  timeline.add(a, Activity::compute, 1, 3);
  timeline.add(a, Activity::compute, 4, 4.5);
  timeline.add(a, Activity::wait, 3, 4);
  timeline.add(b, Activity::compute, 0, 8);
  EXPECT_EQ(timeline.total_seconds(a, Activity::compute), 2.5);
  EXPECT_EQ(timeline.total_seconds(a, Activity::wait), 1);
  EXPECT_EQ(timeline.total_seconds(a, Activity::pack), 0);
  EXPECT_EQ(timeline.total_seconds(b, Activity::compute), 8);
  timeline.reset();
  EXPECT_EQ(timeline.total_seconds(b, Activity::compute), 0);
  EXPECT_THAT(timeline.tracks(), ElementsAre("a", "b"));
}

// A file of this process alone that goes away.
struct File {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("weft_timeline_" + std::to_string(getpid()) + ".json");
  ~File() { std::filesystem::remove(path); }
};

TEST(Timeline, writes_a_trace_of_all_ranks) {
  File file;
  run_in_process(3, [&](Transport& world) {
    Timeline timeline(true);
    const auto quoted = timeline.track("a \"quoted\\\" name");
    timeline.add(quoted, Activity::compute, 10 + world.rank(), 10.5 + world.rank());
    timeline.add(quoted, Activity::in_flight, 10, 12);
    timeline.write_trace(world, file.path);
  });
  std::ifstream stream(file.path);
  const auto trace = nlohmann::json::parse(stream);
  std::vector<double> starts;
  int named = 0;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X" && event.at("name") == "compute") {
      starts.push_back(event.at("ts"));
      EXPECT_EQ(event.at("dur"), 0.5e6);
      EXPECT_EQ(event.at("ts"), 1e6 * event.at("pid").get<double>());
    }
    if (event.at("ph") == "X") {
      EXPECT_EQ(event.at("tid"), event.at("name") == "in flight" ? 1 : 0);
    }
    if (event.at("name") == "thread_name") named += event.at("args").at("name") == "a \"quoted\\\" name";
  }
  EXPECT_THAT(starts, ElementsAre(0, 1e6, 2e6));
  EXPECT_EQ(named, 3);
}

TEST(Timeline, a_trace_that_can_not_be_written_is_an_input_error_everywhere) {
  run_in_process(2, [](Transport& world) {
    Timeline timeline(true);
    try {
      timeline.write_trace(world, "/proc/nowhere.json");
      ADD_FAILURE() << "no error";
    } catch (const InputError& e) {
      EXPECT_TRUE(e.everywhere());
      EXPECT_THAT(e.what(), ::testing::StartsWith("/proc/nowhere.json: This file can't be written"));
    }
  });
}

// Computes for 4 ms, and sends a strided part.
struct Worker : Client {
  explicit Worker(const Transport& world) : rank(world.rank()), out(2000), in(2000) {}
  void request(Requests& requests) override {
    requests.send(1 - rank, 1, box(out.data(), {1000, 2}, {0, 0}, {1000, 1}));
    requests.receive(1 - rank, 1, box(in.data(), {1000, 2}, {0, 0}, {1000, 1}));
  }
  void during(Step&) override { std::this_thread::sleep_for(4ms); }
  int rank;
  std::vector<double> out, in;
};

TEST(Timeline, knows_what_a_step_does) {
  File file;
  for (const auto kind : {ProgressOptions::Kind::passive, ProgressOptions::Kind::thread})
    run_in_process(2, [&](Transport& world) {
      Timeline timeline(true);
      Worker worker(world);
      StepManager steps(world, {.progress = {.kind = kind}, .timeline = &timeline});
      steps.add("worker", worker);
      for (int i = 0; i < 3; ++i) steps.run_step();
      const auto total = [&](const char* track, Activity activity) {
        return timeline.total_seconds(timeline.track(track), activity);
      };
      EXPECT_GE(total("worker", Activity::compute), 0.012);
      EXPECT_GT(total("worker", Activity::pack), 0);
      EXPECT_GT(total("worker", Activity::unpack), 0);
      EXPECT_GT(total("exchange", Activity::wait), 0);
      EXPECT_GT(total("worker", Activity::in_flight), 0);
      EXPECT_GE(total("exchange", Activity::in_flight), total("worker", Activity::in_flight));
      if (kind == ProgressOptions::Kind::passive) {  // nothing arrives before the wait
        EXPECT_GE(total("worker", Activity::in_flight), 0.012);
        EXPECT_LE(total("worker", Activity::wait), total("exchange", Activity::wait));
      }
      timeline.write_trace(world, file.path);
    });
  std::ifstream stream(file.path);
  EXPECT_GT(nlohmann::json::parse(stream).at("traceEvents").size(), 20u);
}

}  // namespace
}  // namespace weft
