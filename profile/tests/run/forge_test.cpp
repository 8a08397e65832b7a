// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/junit.hpp"

namespace weft::run {
namespace {

TEST(JUnit, HasACaseForEachRegion) {
  const auto text = junit_of({{"overlap of halo", 3, "less <than> \"before\" \x01"},
                              {"overlap of status 3", 0, "fine"},
                              {"overlap of x is y", 4, "unknown"}},
                             nlohmann::json{{"program", "/x/a&b"}, {"seconds", 1.5}});
  EXPECT_NE(text.find("name=\"weft run a&amp;b\" tests=\"3\" failures=\"1\" errors=\"1\" time=\"1.500\""), text.npos);
  EXPECT_NE(text.find("<failure message=\"less &lt;than&gt; &quot;before&quot; ?\">"), text.npos);
  EXPECT_NE(text.find("<testcase classname=\"weft run a&amp;b\" name=\"overlap of status 3\"><system-out>fine<"),
            text.npos);
}

TEST(Judgement, HasADifferentNameForEachTest) {
  Judgement judgement;
  for (int k = 0; k < 3; ++k) judgement.add({"overlap of halo", 0, ""});
  EXPECT_EQ(judgement.tests[0].name, "overlap of halo");
  EXPECT_EQ(judgement.tests[1].name, "overlap of halo (2)");
  EXPECT_EQ(judgement.tests[2].name, "overlap of halo (3)");
}

}  // namespace
}  // namespace weft::run
