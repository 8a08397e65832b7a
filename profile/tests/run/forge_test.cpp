// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/junit.hpp"

namespace weft::run {
namespace {

TEST(TestLines, NameTheirRegionAndStatus) {
  const auto tests =
      test_lines({"The overlap fraction is 43.1 % (41.0 to 45.2 %), not below the required 40 %.",
                  "The overlap fraction of region step/halo is 12.0 %, below the required 60 % (status 3).",
                  "The overlap fraction of region norm is unknown: it has no message in a step (status 4).",
                  "The overlap fraction of this run is unknown: no message was in flight (status 4)."},
                 3);
  ASSERT_EQ(tests.size(), 4u);
  const std::vector<std::pair<std::string, int>> wanted{
      {"whole program", 0}, {"step/halo", 3}, {"norm", 4}, {"whole program", 4}};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(std::pair(tests[i].region, tests[i].status), wanted[i]) << tests[i].text;
  EXPECT_EQ(test_lines({"mpirun ended with status 5."}, 5).at(0).status, 5);
}

TEST(JUnit, HasACaseForEachRegion) {
  const auto text = junit_of({{"halo", 3, "less <than> \"before\" \x01"}, {"norm", 0, "fine"}, {"x", 4, "unknown"}},
                             nlohmann::json{{"program", "/x/a&b"}, {"seconds", 1.5}});
  EXPECT_NE(text.find("name=\"weft run a&amp;b\" tests=\"3\" failures=\"1\" errors=\"1\" time=\"1.500\""), text.npos);
  EXPECT_NE(text.find("<failure message=\"less &lt;than&gt; &quot;before&quot; ?\">"), text.npos);
  EXPECT_NE(text.find("<testcase classname=\"weft run a&amp;b\" name=\"overlap of norm\"><system-out>fine<"),
            text.npos);
}

TEST(JUnit, HasADifferentNameForEachTestOfARegion) {
  const auto text =
      junit_of({{"halo", 0, "The overlap fraction of region halo is 70.0 %, not below the required 50 %."},
                {"halo", 0, "The overlap fraction of region halo is 70.0 %; it was 72.0 % before."}},
               nlohmann::json::object());
  EXPECT_NE(text.find("name=\"overlap of halo\""), text.npos);
  EXPECT_NE(text.find("name=\"overlap of halo against before\""), text.npos);
}

}  // namespace
}  // namespace weft::run
