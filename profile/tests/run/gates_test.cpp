// SPDX-License-Identifier: BSD-3-Clause
#include "run/gates.hpp"

#include <gtest/gtest.h>

#include "run/report/reading.hpp"

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
  EXPECT_EQ(status(report(0.9, 0.89, 0.91), report(0.82, 0.81, 0.83)), 0);  // too small a loss
  EXPECT_EQ(status(report(0.9, 0.89, 0.91), report(0.78, 0.77, 0.79)), 3);
  EXPECT_EQ(status(report(0.9, 0.89, 0.91), report(0.78, 0.77, 0.86)), 0);  // 0.85 to 0.95 may be as before
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
  now["regions"][1]["messages"] = 0;  // its communication vanished
  EXPECT_EQ(judge({.least = {}, .before = before}, now).status, 0);
  now["regions"][1] = region("halo", 0.9);
  now["regions"][1]["overlap_fraction"] = nullptr;
  EXPECT_EQ(judge({.least = {{"halo", 0.5}}, .before = {}}, now).status, 4);  // "halo" also is the end of step/halo
}

TEST(Gates, DoNotJudgeARegionThatHardlyCommunicates) {
  auto small = report(0.5, 0.49, 0.51), large = small;
  small["mean"]["seconds"] = large["mean"]["seconds"] = 1e-2;
  small["regions"] = {region("self", 0.1)};
  small["regions"][0]["needed_seconds"] = 4e-6;
  large["regions"] = {region("self", 0.9)};
  const auto unknown = judge({.least = {{"self", 0.5}}, .before = {}}, small);
  EXPECT_EQ(unknown.status, 4);
  EXPECT_NE(unknown.tests.at(0).text.find("communication takes only 0.04 % of a step"), std::string::npos)
      << unknown.tests.at(0).text;
  EXPECT_EQ(judge({.least = {}, .before = large}, small).tests.size(), 1u);  // what vanished is no loss
  small["regions"][0]["overlap_fraction"] = 0.95, large["regions"][0]["overlap_fraction"] = 0.1;
  EXPECT_EQ(judge({.least = {}, .before = small}, large).status, 3);
}

TEST(Gates, DoNotJudgeAProgramThatHardlyCommunicates) {
  auto run = report(0.5, 0.49, 0.51);
  run["mean"]["seconds"] = 1, run["mean"]["mpi_seconds"] = 0.5;
  EXPECT_NE(unfit(run).find("only 0.2 % of the time of computation"), std::string::npos) << unfit(run);
}

TEST(Gates, SayHowManyStepsWereFound) {
  auto run = report(0.5, 0.49, 0.51);
  run["mean"]["steps"] = 1;
  EXPECT_EQ(unfit(run).find("1 step was found, but 20 are needed"), 0u) << unfit(run);
  run["step"] = {{"found_by", "nothing"}};
  EXPECT_EQ(unfit(run).find("no step was found"), 0u) << unfit(run);
}

TEST(Gates, KnowARegionByItsNameAsItIsPrinted) {
  auto run = report(0.5, 0.49, 0.51);
  const std::string lines = "two\nlines", longest = std::string(5000, 'x') + "/" + lines;
  run["regions"] = {region(lines.c_str(), 0.5), region(longest.c_str(), 0.5)};
  const auto said = [&](const std::string& asked) {
    const auto result = judge({.least = {*least_of(asked)}, .before = {}}, run);
    std::string all;
    for (const auto& test : result.tests) all += test.name + ": " + test.text;
    EXPECT_EQ(all.find('\n'), std::string::npos);
    EXPECT_LT(all.size(), 1000u);
    return std::pair(result.status, result.tests.size());
  };
  EXPECT_EQ(said(lines + ":40%"), std::pair(0, std::size_t{2}));
  EXPECT_EQ(said("two lines:40%"), std::pair(0, std::size_t{2}));
  EXPECT_EQ(said(longest + ":40%"), std::pair(0, std::size_t{1}));
  EXPECT_EQ(said(region_name(longest) + ":40%"), std::pair(0, std::size_t{1}));
  EXPECT_EQ(said(longest + "y:40%").first, 4);
  run["regions"] = {region("halo", 0.5)};
  EXPECT_NE(judge({.least = {{"no", 0.5}}, .before = {}}, run).tests.at(0).text.find("has the region halo "),
            std::string::npos);
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

TEST(Gates, NameTheCallThatBecameLonger) {
  const auto site = [](const char* call, const char* place, double seconds, double late) {
    return nlohmann::json{{"call", call},
                          {"kind", "wait"},
                          {"place", place},
                          {"calls", 100},
                          {"seconds", 100 * seconds},
                          {"a_step", {{"calls", 1}, {"seconds", seconds}, {"late_seconds", late}}}};
  };
  auto before = report(0.9, 0.8, 0.95), now = report(0.5, 0.4, 0.6);
  before["mean"]["seconds"] = now["mean"]["seconds"] = 1e-2;
  const auto wait = "MPI_Wait", all = "MPI_Waitall";
  before["sites"] = {site(all, "a.c:8 halo", 2e-3, 0), site(wait, "a.c:9 halo", 1e-4, 0),
                     site(wait, "a.c:10 halo", 1e-3, 0), site(wait, "a.c:20 sum", 3e-4, 0)};
  // Lines have moved, and sum and the first wait are for late ranks.
  now["sites"] = {site(all, "a.c:11 halo", 2e-3, 0), site(wait, "a.c:12 halo", 9e-4, 0),
                  site(wait, "a.c:13 halo", 1.1e-3, 0), site(wait, "a.c:23 sum", 4e-3, 3.5e-3)};
  const auto told = judge({.least = {}, .before = before}, now).tests.at(0).text;
  EXPECT_NE(told.find("halo take 4.00 ms per step, before 3.10 ms; MPI_Wait at a.c:12 grew most."), std::string::npos)
      << told;
  EXPECT_EQ(told.find("take", told.find("take") + 1), std::string::npos);
  EXPECT_EQ(judge({.least = {}, .before = before}, before).tests.at(0).text.find("halo"), std::string::npos);
  for (auto* run : {&before, &now})
    for (auto& one : (*run)["sites"]) one["place"] = one["place"].get<std::string>().replace(1, 2, ".f90");
  const auto fortran = judge({.least = {}, .before = before}, now).tests.at(0).text;
  EXPECT_NE(fortran.find("MPI_Wait at a.f90:12 grew most."), std::string::npos) << fortran;
}

TEST(Gates, AreNotSureWhereRanksWaitedForCores) {
  const auto before = report(0.9, 0.8, 0.95);
  EXPECT_EQ(judge({.least = {}, .before = before}, report(0.7, 0.69, 0.71, 0.05)).status, 3);
  const auto unsure = judge({.least = {}, .before = before}, report(0.7, 0.69, 0.71, 0.24));
  EXPECT_EQ(unsure.status, 4);
  EXPECT_NE(unsure.tests.at(0).text.find("waited for cores"), std::string::npos) << unsure.tests.at(0).text;
  EXPECT_EQ(judge({.least = {{"", 0.85}}, .before = {}}, report(0.7, 0.69, 0.71, 0.2)).status, 3);
  EXPECT_EQ(judge({.least = {{"", 0.75}}, .before = {}}, report(0.7, 0.69, 0.71, 0.2)).status, 4);
}

}  // namespace
}  // namespace weft::run
