// SPDX-License-Identifier: BSD-3-Clause
#include "predict/forecast.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/tests/predict/made_up.hpp"

namespace weft::predict {
namespace {

using namespace testing;

const auto data = std::filesystem::path(PREDICT_DATA) / "xe6";

TEST(Forecast, gives_a_run_back_whatever_it_measured) {
  for (const double measured : {500, 990, 1003, 1009, 1500, 9000})
    for (const Strategy& how : {Strategy{true, "polling"}, Strategy{false, "passive"}}) {
      auto run = made_up_run();
      run.step_seconds = measured * us;
      run.coalesce = how.coalesce;
      run.progress = how.progress;
      run.late_seconds = 7 * us;
      run.worst_seconds = 9 * us;
      const Predictor predictor(Problem({{"made up", run}}), made_up_network());
      EXPECT_NEAR(predictor.seconds(4, how).value / us, measured, 1e-6) << name_of(how);
    }
}

TEST(Forecast, for_another_network_keeps_what_the_run_took_longer) {
  auto run = made_up_run();
  run.step_seconds = (1009 + 50) * us;
  auto slow = made_up_network();
  slow.far->latency = Range::exact(110 * us);
  const Predictor predictor(Problem({{"made up", run}}), slow, made_up_network());
  EXPECT_NEAR(predictor.seconds(4, {false, "polling"}).value / us, (1000 + 12 + 220.016) * 1059 / 1009, 1e-6);
}

// A run "corrects" the model by the ratio of their times. If the network is not the run's, that ratio cancels it.
TEST(Forecast, from_a_run_that_the_model_can_not_explain_is_doubted) {
  const auto doubt = [](double step_us, double jitter_us, const Network& network) {
    auto run = made_up_run();
    run.step_seconds = step_us * us;
    run.jitter_seconds = jitter_us * us;
    return Predictor(Problem({{"made up", run}}), network).doubt();
  };
  EXPECT_EQ(doubt(1009, 400, made_up_network()), "");
  EXPECT_EQ(doubt(1900, 0, made_up_network()), "");
  EXPECT_EQ(doubt(550, 0, made_up_network()), "");
  for (const double far : {2100, 480, 90000})
    EXPECT_NE(doubt(far, 0, made_up_network()).find("--run-network"), std::string::npos) << far;
  EXPECT_NE(doubt(1009, 600, made_up_network()).find("differs by 60 % from step to step"), std::string::npos);
  auto slow = made_up_network();
  slow.far->latency = Range::exact(10000 * us);
  EXPECT_NE(doubt(1009, 0, slow).find("this is another network"), std::string::npos);
}

TEST(Forecast, on_a_slower_network_is_never_faster) {
  auto run = made_up_run();
  run.step_seconds = 1500 * us;
  double before = 0;
  for (const double latency : {1, 10, 100, 1000, 10000}) {
    auto other = made_up_network();
    other.far->latency = Range::exact(latency * us);
    other.far->byte = Range::exact(latency * 1e-10);
    const Predictor predictor(Problem({{"made up", run}}), other, made_up_network());
    for (const int ranks : {4, 64}) EXPECT_GE(predictor.seconds(ranks, {true, "polling"}).value, 0);
    EXPECT_GE(predictor.seconds(4, {true, "polling"}).value, before);
    before = predictor.seconds(4, {true, "polling"}).value;
  }
}

TEST(Forecast, of_which_the_range_is_wider_than_the_time_is_unknown) {
  EXPECT_TRUE(Forecast::is_known({1, 0.2, 2}));
  EXPECT_FALSE(Forecast::is_known({1, 0.5, 2.5}));
  auto vague = made_up_network();
  vague.far->latency = {10 * us, 1 * us, 100000 * us};
  const Predictor predictor(Problem({{"made up", made_up_run()}}), vague);
  auto f = predictor.forecast({64}, "polling");
  EXPECT_FALSE(f.says_something());
  EXPECT_NE(f.text().find("unknown"), std::string::npos);
  EXPECT_EQ(f.advice.find("use:"), std::string::npos) << f.advice;
  f.forced = true;
  EXPECT_EQ(f.text().find("unknown"), std::string::npos);
}

TEST(Forecast, tells_where_scaling_ends_and_what_is_best) {
  const Predictor predictor(Problem({{"made up", made_up_run()}}), made_up_network());
  const auto f = predictor.forecast({4, 64, 4096}, "polling");
  EXPECT_EQ(f.rows[0].best, 3u);  // coalesced, polling
  EXPECT_NEAR(f.rows[0].overlap_fraction, 1, 1e-9);
  EXPECT_NEAR(f.rows[0].efficiency, 1000.0 / 1009, 1e-9);
  ASSERT_TRUE(f.ends_at.has_value());
  EXPECT_EQ(*f.ends_at, 4096);
  EXPECT_EQ(f.advice.rfind("From 4 ranks on, use: coalesced, polling", 0), 0u) << f.advice;
  const auto json = nlohmann::json::parse(f.json());
  EXPECT_EQ(json["rows"].size(), 3u);
  EXPECT_EQ(json["ends_at_ranks"], 4096);
  EXPECT_NEAR(json["rows"][0]["step"]["coalesced, polling"]["s"].get<double>(), 1009 * us, 1e-12);
  for (const auto& row : f.rows)
    for (const auto& s : row.seconds) {
      EXPECT_LE(s.low, s.value);
      EXPECT_LE(s.value, s.high);
    }
}

// A simulated Cray XE6 (docs/results/predict.md has the commands): from 8 ranks in one node, coalesced and polling, to
// 64 in two and 128 in four, where faces are below the eager limit (a byte takes twice as long).
TEST(Forecast, of_simulated_runs_is_within_four_percent) {
  const Predictor predictor(Problem({read_run((data / "steps8.json").string() + "#4")}),
                            read_network(data / "network.json", 32));
  for (const auto* file : {"steps8.json", "steps64.json", "steps128.json"})
    for (const auto& run : read_runs(data / file)) {
      const auto check = predictor.check(run);
      EXPECT_LT(std::abs(check.error()), 0.04) << file << ": " << run.name;
      // The range is for other numbers of ranks: on the run's own number nothing is scaled.
      if (check.ranks != 8) {
        EXPECT_TRUE(check.within()) << file << ": " << run.name;
      }
    }
}

}  // namespace
}  // namespace weft::predict
