// SPDX-License-Identifier: BSD-3-Clause
#include "wave/case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "wave/run.hpp"
#include "weft/error.hpp"

namespace weft::wave {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CaseFile : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::path(::testing::TempDir()) /
            ("wave_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + ".toml");
  }
  void TearDown() override { std::filesystem::remove(file_); }

  Case read(const std::string& text, const std::vector<std::string>& overrides = {}) {
    std::ofstream(file_) << text;
    return read_case(file_, overrides);
  }
  std::string error(const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
      read(text, overrides);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  }

  std::filesystem::path file_;
};

const std::string good = R"([domain]
cells = [32, 16, 16]
block = 8
length = 2.0
low = [-1.0, 0.0, 0.0]
[boundary]
all = "radiating"
"-x" = { kind = "fixed", value = 0.5 }
"-y" = "periodic"
"+y" = "periodic"
[[pulse]]
width = 0.2
[run]
time = 1.0
)";

// Steps of 0.025: another end is not met, which is said with what would meet it.
TEST_F(CaseFile, an_end_between_two_steps_is_a_problem) {
  EXPECT_TRUE(find_problems(read(good)).empty());
  EXPECT_TRUE(find_problems(read(good, {"run.steps=7"})).empty());
  for (const auto& [time, end] : {std::pair{"0.33", "ends at 0.325,"}, std::pair{"0.001", "ends at 0.025,"}}) {
    const auto c = read(good, {std::string("run.time=") + time});
    const auto problems = find_problems(c);
    ASSERT_EQ(problems.size(), 1) << time;
    EXPECT_THAT(problems[0], AllOf(HasSubstr(std::string("run.time is ") + time), HasSubstr(end)));
    const auto from = problems[0].find("wave.cfl="), to = problems[0].find(' ', from);
    const auto met = read(good, {std::string("run.time=") + time, problems[0].substr(from, to - from)});
    EXPECT_TRUE(find_problems(met).empty());
    EXPECT_LE(met.cfl, c.cfl);
    EXPECT_NEAR(static_cast<double>(met.steps) * met.dt(), *c.time, 1e-12);
  }
  EXPECT_THAT(error(good, {"run.time=1e300"}), HasSubstr("time in [run] is 1e+300, which takes"));
}

TEST_F(CaseFile, is_read) {
  const auto c = read(good, {"wave.cfl=0.5"});
  EXPECT_EQ(c.domain.blocks, (std::array<int, 3>{4, 2, 2}));
  EXPECT_EQ(c.domain.periodic, (std::array<bool, 3>{false, true, false}));
  EXPECT_DOUBLE_EQ(c.domain.spacing, 1.0 / 16);
  EXPECT_EQ(c.boundaries[0].kind, Boundary::Kind::fixed);
  EXPECT_EQ(c.boundaries[0].value, 0.5);
  EXPECT_EQ(c.boundaries[1].kind, Boundary::Kind::radiating);
  EXPECT_EQ(c.pulses.at(0).centre, (std::array<double, 3>{0, 0.5, 0.5}));
  EXPECT_EQ(c.steps, 32);
}

TEST_F(CaseFile, says_how_to_communicate) {
  auto c = read(good).communication;
  EXPECT_EQ(c.progress, ProgressOptions::Kind::polling);
  EXPECT_EQ(c.grouping, Grouping::per_peer);
  EXPECT_FALSE(c.defer_unpacking);
  const auto section =
      good + "[communication]\nprogress = \"send_receive_threads\"\ngrouping = \"per_part\"\ndefer_unpacking = true\n";
  c = read(section).communication;
  EXPECT_EQ(c.progress, ProgressOptions::Kind::send_receive_threads);
  EXPECT_EQ(c.grouping, Grouping::per_part);
  EXPECT_TRUE(c.defer_unpacking);
  const auto wrong = error(good + "[communication]\nprogress = \"pasive\"\n");
  EXPECT_THAT(wrong, AllOf(HasSubstr(".toml:16: "), HasSubstr("progress in [communication] is 'pasive'"),
                           HasSubstr("send_receive_threads"), HasSubstr("Did you mean 'passive'")));
  EXPECT_THAT(error(section, {"communication.grouping=\"by_sise\""}), HasSubstr("per_peer, per_part, by_size"));
}

TEST_F(CaseFile, errors_say_where_what_and_what_is_allowed) {
  EXPECT_THAT(error(good, {"domain.block=12"}), AllOf(HasSubstr("block in [domain]"), HasSubstr("8, 16 or 32")));
  EXPECT_THAT(error(good, {"domain.cells=[32, 16, 12]"}), AllOf(HasSubstr("along z"), HasSubstr("multiple of 8")));
  EXPECT_THAT(error(good, {"boundary.all=\"radiatin\""}),
              AllOf(HasSubstr("Did you mean 'radiating'"), HasSubstr("periodic")));
  EXPECT_THAT(error(good, {"boundary.-y=\"free\""}), HasSubstr("Only one of -y and +y in [boundary] is periodic"));
  EXPECT_THAT(error(good, {"wave.laplacian=3"}), HasSubstr("Use 2 or 4"));
  EXPECT_THAT(error(good, {"wave.cfl=0.8"}), HasSubstr("unstable above 0.707"));
  EXPECT_THAT(error(good, {"refinement.criterion=\"loehner\""}), HasSubstr("'threshold' is missing in [refinement]"));
  EXPECT_THAT(error(good + "[[region]]\nlow = [0,0,0]\nhigh = [1,1,1]\n"),
              AllOf(HasSubstr(".toml:15"), HasSubstr("level in [[region]]")));
  EXPECT_THAT(error(good + "[[pulse]]\nshape = \"plane\"\n"), HasSubstr("'waves' is missing in [[pulse]]"));
  EXPECT_THAT(error(good, {"refinement.levels=4294967296"}), HasSubstr("Give a whole number of at most 2147483647"));
  EXPECT_THAT(error(good + "[wav]\n"), HasSubstr("wave"));
  EXPECT_THAT(error(good, {"domain.cells=[1000000, 1000000, 1000000]"}), HasSubstr("10000000 are allowed"));
  EXPECT_THAT(error(good, {"domain.cells=[1000000, 8, 8]", "refinement.levels=12"}),
              HasSubstr("Use fewer levels or cells"));
  EXPECT_THAT(error(good, {"domain.length=1e-320"}), HasSubstr("allowed: 1e-90 to 1e+90"));
  EXPECT_THAT(error(good, {"wave.speed=1e200"}), HasSubstr("Choose another unit"));
}

TEST(Examples, are_good_cases) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_EXAMPLES "/wave")) {
    EXPECT_TRUE(find_problems(read_case(entry.path())).empty()) << entry.path();
    ++cases;
  }
  EXPECT_GE(cases, 4);
}

}  // namespace
}  // namespace weft::wave
