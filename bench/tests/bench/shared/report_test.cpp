// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/report.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::bench {
namespace {

TEST(Statistics, median_and_quartiles_are_interpolated) {
  const auto s = spread_of({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.low, 1.75);
  EXPECT_DOUBLE_EQ(s.high, 3.25);
  EXPECT_DOUBLE_EQ(spread_of({7}).high, 7);
  EXPECT_DOUBLE_EQ(spread_of({}).median, 0);
}

TEST(Report, has_the_one_form) {
  const auto file = std::filesystem::temp_directory_path() / "weft_report_test.json";
  testing::internal::CaptureStdout();
  run_in_process(2, [&](Transport& transport) {
    Report report("example", transport, {.quick = true, .json = file});
    report.setting("bytes", std::int64_t{8});
    report.result("a step", {2, 1, 3}, "us");
    report.figure("ratio", 0.5);
    for (int twice = 0; twice < 2; ++twice) report.note("something is left out");
    report.finish(transport);
  });
  const auto table = testing::internal::GetCapturedStdout();
  EXPECT_NE(table.find("a step"), std::string::npos);
  const auto document = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(document["benchmark"], "example");
  EXPECT_EQ(document["mpi"]["ranks"], 2);
  EXPECT_EQ(document["machine"]["nodes"], 1);
  EXPECT_EQ(document["settings"]["quick"], true);
  EXPECT_EQ(document["results"][0]["what"], "a step");
  EXPECT_EQ(document["results"][0]["high"], 3.0);
  EXPECT_EQ(document["figures"]["ratio"], 0.5);
  EXPECT_EQ(document["notes"].size(), 1);
  EXPECT_EQ(document["notes"][0], "something is left out");
  std::filesystem::remove(file);
}

TEST(Report, takes_names_that_are_no_utf_8) {
  const auto file = std::filesystem::temp_directory_path() / "weft_report_odd_test.json";
  testing::internal::CaptureStdout();
  run_in_process(1, [&](Transport& transport) {
    Report report("example", transport, {.json = file});
    report.setting("case", "odd\xff.toml");
    report.result("odd\xff", {2, 1, 3}, "us");
    report.note("odd\xff");
    report.finish(transport);
  });
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(file))["settings"]["case"], "odd\xef\xbf\xbd.toml");
  std::filesystem::remove(file);
}

TEST(Report, refuses_to_replace_what_is_read) {
  const auto file = std::filesystem::temp_directory_path() / "weft_report_read_test.toml";
  std::ofstream(file) << "input";
  EXPECT_THROW(
      run_in_process(2, [&](Transport& transport) { Report("example", transport, {.json = file, .reads = {file}}); }),
      InputError);
  std::filesystem::remove(file);
}

TEST(Report, refuses_a_file_that_can_not_be_written_before_it_measures) {
  EXPECT_THROW(
      run_in_process(2, [](Transport& transport) { Report("example", transport, {.json = "/proc/nowhere/x.json"}); }),
      InputError);
}

}  // namespace
}  // namespace weft::bench
