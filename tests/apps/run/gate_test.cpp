// SPDX-License-Identifier: BSD-3-Clause
#include "run/gate.hpp"

#include <gtest/gtest.h>

namespace weft::run {
namespace {

nlohmann::json report(double hidden) {
  return {{"ranks", 2},
          {"ended", "finalize"},
          {"looked_at", 1.0},
          {"mean", {{"steps", 100}, {"needed_seconds", 1e-3}, {"hidden_fraction", hidden}, {"matched", 1.0}}},
          {"environment", {{"shared_cores", false}}}};
}

TEST(RunGate, less_than_was_asked_is_status_3) {
  const Gate gate{.fail_below = 0.6, .against = {}};
  EXPECT_EQ(judge(gate, report(0.61)).status, 0);
  EXPECT_EQ(judge(gate, report(0.6)).status, 0);
  const auto low = judge(gate, report(0.59));
  EXPECT_EQ(low.status, 3);
  EXPECT_NE(low.sentence.find("59.0 %"), std::string::npos);
  EXPECT_NE(low.sentence.find("60.0 %"), std::string::npos);
}

TEST(RunGate, less_than_before_by_more_than_runs_differ_is_status_3) {
  const Gate gate{.fail_below = {}, .against = report(0.8)};
  EXPECT_EQ(judge(gate, report(0.9)).status, 0);
  EXPECT_EQ(judge(gate, report(0.76)).status, 0);
  EXPECT_EQ(judge(gate, report(0.74)).status, 3);
}

TEST(RunGate, where_nothing_can_be_said_it_is_status_4_and_why) {
  const Gate gate{.fail_below = 0.1, .against = {}};
  const auto changed = [&](const char* pointer, const nlohmann::json& value) {
    auto r = report(0.9);
    r[nlohmann::json::json_pointer(pointer)] = value;
    return judge(gate, r);
  };
  for (const auto& [at, value, why] :
       {std::tuple<const char*, nlohmann::json, const char*>{"/mean/matched", 0.5, "other side"},
        {"/mean/steps", 19, "19 steps"},
        {"/looked_at", 0.4, "40 %"},
        {"/environment/shared_cores", true, "more ranks than cores"},
        {"/ended", "early", "before MPI_Finalize"},
        {"/mean/needed_seconds", 0, "nothing was on its way"}}) {
    const auto judgement = changed(at, value);
    EXPECT_EQ(judgement.status, 4) << at;
    EXPECT_NE(judgement.sentence.find(why), std::string::npos) << judgement.sentence;
  }
  auto before = report(0.9);
  before["mean"]["steps"] = 3;
  EXPECT_EQ(judge({.fail_below = {}, .against = before}, report(0.9)).status, 4);
}

}  // namespace
}  // namespace weft::run
