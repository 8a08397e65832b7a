// SPDX-License-Identifier: BSD-3-Clause
#include "run/gates.hpp"

#include <gtest/gtest.h>

namespace weft::run {
namespace {

nlohmann::json report(double fraction, double low, double high) {
  return {{"ended", "finalize"},
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

}  // namespace
}  // namespace weft::run
