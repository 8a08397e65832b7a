// SPDX-License-Identifier: BSD-3-Clause
#include "run/gates.hpp"

#include <gtest/gtest.h>

namespace weft::run {
namespace {

nlohmann::json report(double fraction, double low, double high, double waited = 0) {
  return {{"ended", "finalize"},
          {"environment", {{"waited_for_core_share", waited}}},
          {"mean",
           {{"steps", 100},
            {"messages", 2},
            {"matched", 1},
            {"needed_seconds", 1e-3},
            {"overlappable_seconds", 1e-3},
            {"overlap_fraction", fraction},
            {"interval", {low, high}}}}};
}

TEST(Gates, KnowTheOverlapOfAProgramThatHasOnlyCollectives) {
  auto run = report(0.5, 0.4, 0.6);
  run["mean"]["messages"] = 0;  // to single ranks
  EXPECT_EQ(unfit(run), "");
  run["mean"]["needed_seconds"] = 0;
  EXPECT_NE(unfit(run), "");
}

TEST(Gates, ReportALossOnlyOutsideOfBothIntervals) {
  const auto status = [](const nlohmann::json& before, const nlohmann::json& now) {
    return judge({.least = {}, .before = before}, now).status;
  };
  EXPECT_EQ(status(report(0.9, 0.8, 0.95), report(0.5, 0.4, 0.6)), 3);
  EXPECT_EQ(status(report(0.9, 0.8, 0.95), report(0.5, 0.2, 0.85)), 0);
  EXPECT_EQ(status(report(0.9, 0.89, 0.91), report(0.86, 0.85, 0.87)), 0);  // too small a loss
}

nlohmann::json region(const char* name, double fraction) {
  return {{"name", name},
          {"messages", 2},
          {"needed_seconds", 1e-3},
          {"overlappable_seconds", 1e-3},
          {"overlap_fraction", fraction}};
}

TEST(Gates, ALossForCertainOutweighsWhatIsUnknown) {
  auto run = report(0.5, 0.49, 0.51);
  run["regions"] = {region("halo", 0.2)};
  const auto status = [&](std::vector<Gates::Least> least, std::optional<nlohmann::json> before = {}) {
    return judge({.least = std::move(least), .before = std::move(before)}, run).status;
  };
  EXPECT_EQ(status({{"", 0.9}, {"nosuch", 0.5}}), 3);
  EXPECT_EQ(status({{"nosuch", 0.5}, {"", 0.9}}), 3);
  EXPECT_EQ(status({{"nosuch", 0.5}}), 4);
  auto before = report(0.5, 0.49, 0.51);
  before["mean"]["steps"] = 3;
  EXPECT_EQ(status({{"", 0.9}}, before), 3);
  EXPECT_EQ(status({{"", 0.4}}, before), 4);
}

TEST(Gates, CompareEachRegionWithTheOneOfItsName) {
  auto before = report(0.5, 0.49, 0.51), now = before;
  before["regions"] = {region("halo", 0.9), region("step/halo", 0.8)};
  now["regions"] = {region("halo", 0.1), region("step/halo", 0.8)};
  const auto lost = judge({.least = {}, .before = before}, now);
  EXPECT_EQ(lost.status, 3);
  ASSERT_EQ(lost.tests.size(), 3u);
  EXPECT_EQ(lost.tests[1].name, "overlap of halo against before");
  EXPECT_EQ(lost.tests[1].status, 3);
  now["regions"] = {region("step/halo", 0.8)};  // renamed, or no longer reached
  EXPECT_EQ(judge({.least = {}, .before = before}, now).status, 4);
  now["regions"].push_back(region("halo", 0.9));
  now["regions"][1]["messages"] = 0;
  EXPECT_EQ(judge({.least = {}, .before = before}, now).status, 4);
  now["regions"][1] = region("halo", 0.9);
  now["regions"][1]["overlap_fraction"] = nullptr;
  EXPECT_EQ(judge({.least = {{"halo", 0.5}}, .before = {}}, now).status, 4);  // "halo" also is the end of step/halo
}

TEST(Gates, CompareOnlyRunsOfAsManyRanks) {
  auto before = report(0.9, 0.8, 0.95), now = report(0.5, 0.4, 0.6);
  before["ranks"] = 64, now["ranks"] = 2;
  const auto told = judge({.least = {}, .before = before}, now);
  EXPECT_EQ(told.status, 4);
  EXPECT_NE(told.tests.at(0).text.find("64 ranks"), std::string::npos);
}

TEST(Gates, DoNotBelieveAnIntervalThatSpansAlmostAll) {
  EXPECT_EQ(judge({.least = {{"", 0.9}}, .before = {}}, report(0.05, 0, 0.95)).status, 4);
  EXPECT_EQ(judge({.least = {{"", 0.6}}, .before = {}}, report(0.55, 0.5, 0.65)).status, 0);
  EXPECT_EQ(judge({.least = {}, .before = report(0.9, 0.1, 1)}, report(0.2, 0.15, 0.25)).status, 4);
}

TEST(Gates, NameTheFunctionWhoseCallsBecameLonger) {
  const auto site = [](const char* place, double seconds, double late) {
    return nlohmann::json{
        {"call", "MPI_Wait"},       {"kind", "wait"},
        {"place", place},           {"calls", 100},
        {"seconds", 100 * seconds}, {"a_step", {{"calls", 1}, {"seconds", seconds}, {"late_seconds", late}}}};
  };
  auto before = report(0.9, 0.8, 0.95), now = report(0.5, 0.4, 0.6);
  before["mean"]["seconds"] = now["mean"]["seconds"] = 1e-2;
  before["sites"] = {site("a.c:10 halo", 1e-4, 0), site("a.c:20 sum", 3e-4, 0)};
  now["sites"] = {site("a.c:13 halo", 9e-4, 0), site("a.c:23 sum", 4e-3, 3.5e-3)};  // sum waits for late ranks
  const auto told = judge({.least = {}, .before = before}, now);
  EXPECT_NE(told.tests.at(0).text.find("halo (a.c:13) take 900 us per step, before 100 us"), std::string::npos)
      << told.tests.at(0).text;
  EXPECT_EQ(told.tests.at(0).text.find("take", told.tests.at(0).text.find("take") + 1), std::string::npos);
  EXPECT_EQ(judge({.least = {}, .before = before}, before).tests.at(0).text.find("halo"), std::string::npos);
}

TEST(Gates, AreNotSureWhereRanksWaitedForCores) {
  const auto before = report(0.9, 0.8, 0.95);
  EXPECT_EQ(judge({.least = {}, .before = before}, report(0.7, 0.69, 0.71, 0.1)).status, 3);
  const auto unsure = judge({.least = {}, .before = before}, report(0.7, 0.69, 0.71, 0.2));
  EXPECT_EQ(unsure.status, 4);
  EXPECT_NE(unsure.tests.at(0).text.find("waited for cores"), std::string::npos) << unsure.tests.at(0).text;
  EXPECT_EQ(judge({.least = {{"", 0.85}}, .before = {}}, report(0.7, 0.69, 0.71, 0.2)).status, 3);
  EXPECT_EQ(judge({.least = {{"", 0.75}}, .before = {}}, report(0.7, 0.69, 0.71, 0.2)).status, 4);
}

}  // namespace
}  // namespace weft::run
