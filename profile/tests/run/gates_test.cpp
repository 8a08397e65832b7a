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

TEST(Gates, NameTheFunctionWhoseCallsBecameLonger) {
  const auto site = [](const char* place, double seconds, double late) {
    return nlohmann::json{
        {"call", "MPI_Wait"},       {"kind", "wait"},
        {"place", place},           {"calls", 100},
        {"seconds", 100 * seconds}, {"a_step", {{"calls", 1}, {"seconds", seconds}, {"late_seconds", late}}}};
  };
  auto before = report(0.9, 0.8, 0.95), now = report(0.5, 0.4, 0.6);
  before["sites"] = {site("a.c:10 halo", 1e-4, 0), site("a.c:20 sum", 3e-4, 0)};
  now["sites"] = {site("a.c:13 halo", 9e-4, 0), site("a.c:23 sum", 4e-3, 3.5e-3)};  // sum waits for late ranks
  const auto told = judge({.least = {}, .before = before}, now);
  EXPECT_NE(told.lines.at(0).find("halo (a.c:13) take 900 us per step, before 100 us"), std::string::npos)
      << told.lines.at(0);
  EXPECT_EQ(told.lines.at(0).find("take", told.lines.at(0).find("take") + 1), std::string::npos);
  EXPECT_EQ(judge({.least = {}, .before = before}, before).lines.at(0).find("halo"), std::string::npos);
}

TEST(Gates, AreNotSureWhereRanksWaitedForCores) {
  const auto before = report(0.9, 0.8, 0.95);
  EXPECT_EQ(judge({.least = {}, .before = before}, report(0.7, 0.69, 0.71, 0.1)).status, 3);
  const auto unsure = judge({.least = {}, .before = before}, report(0.7, 0.69, 0.71, 0.2));
  EXPECT_EQ(unsure.status, 4);
  EXPECT_NE(unsure.lines.at(0).find("waited for cores"), std::string::npos) << unsure.lines.at(0);
  EXPECT_EQ(judge({.least = {{"", 0.85}}, .before = {}}, report(0.7, 0.69, 0.71, 0.2)).status, 3);
  EXPECT_EQ(judge({.least = {{"", 0.75}}, .before = {}}, report(0.7, 0.69, 0.71, 0.2)).status, 4);
}

}  // namespace
}  // namespace weft::run
