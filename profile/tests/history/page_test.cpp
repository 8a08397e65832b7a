// SPDX-License-Identifier: BSD-3-Clause
#include "history/page.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "history/badge.hpp"
#include "history/trend.hpp"
#include "profile/tests/history/made_runs.hpp"
#include "run/report/text.hpp"
#include "weft/error.hpp"

namespace weft::history {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class HistoryFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("weft_history.{}", ::getpid());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static json report(double overlap) {
    json report{
        {"ended", "finalize"}, {"ranks", 2}, {"library", "Open MPI v4.1.4"}, {"program", "/x/jacobi"}, {"runs", 3}};
    report["mean"] = {{"steps", 100},
                      {"seconds", 0.01},
                      {"messages", 4},
                      {"matched", 1},
                      {"needed_seconds", 0.002},
                      {"overlap_fraction", overlap},
                      {"interval", {overlap - 0.02, overlap + 0.02}}};
    report["regions"] = {{{"name", "step/<halo>"},
                          {"seconds", 0.004},
                          {"messages", 2},
                          {"needed_seconds", 0.001},
                          {"overlappable_seconds", 0.001},
                          {"overlap_fraction", overlap / 2},
                          {"interval", {0, 0.5}}},
                         {{"name", "quiet"}, {"seconds", 0.001}, {"overlap_fraction", 0}, {"overlappable_seconds", 0}}};
    json spans = json::array();
    for (int i = 0; i < 500; ++i)
      spans.push_back({{"kind", "call"}, {"from", 2e-5 * i}, {"to", 2e-5 * i + 1e-5}, {"call", "MPI_Wait"}});
    report["picture"] = {{"seconds", 0.01}, {"ranks", {{{"rank", 0}, {"spans", spans}}}}};
    return report;
  }
  void damage(const std::string& text) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "20260101T000000Z-51a7b2b9.json") << text;
  }
  std::string refusal() const {
    try {
      run::read_history(folder_);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  }
  fs::path folder_;
};

TEST_F(HistoryFolder, KeepsEveryRun) {
  std::vector<fs::path> files;
  for (int i = 0; i < 3; ++i) files.push_back(run::add_to_history(folder_, report(0.5 + 0.1 * i), {"mpirun", "x"}));
  std::ofstream(folder_ / "notes.json") << "mine";
  std::ofstream(folder_ / "README") << "mine";
  const auto runs = run::read_history(folder_).runs;
  ASSERT_EQ(runs.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(runs[i].file, files[i]);
    EXPECT_LT(fs::file_size(files[i]), 8000u);
    EXPECT_DOUBLE_EQ(runs[i].regions[0].overlap.value(), 0.5 + 0.1 * static_cast<double>(i));
  }
  EXPECT_EQ(runs[0].regions[1].name, "step/<halo>");
  EXPECT_DOUBLE_EQ(runs[0].regions[1].interval.value().high, 0.5);
  EXPECT_FALSE(runs[0].regions[2].overlap);  // it has nothing to overlap
  auto hardly = report(0.5);
  hardly["regions"][0]["needed_seconds"] = 1e-5;
  EXPECT_FALSE(run::regions_of(hardly).at(1).overlap);
  EXPECT_EQ(runs[0].runs, 3);
  EXPECT_EQ(runs[0].command, (std::vector<std::string>{"mpirun", "x"}));
}

TEST_F(HistoryFolder, SaysWhyTheOverlapIsUnknown) {
  auto few = report(0.5);
  few["mean"]["steps"] = 3;
  run::add_to_history(folder_, few, {});
  const auto run = run::read_history(folder_).runs.at(0);
  EXPECT_FALSE(run.regions[0].overlap);
  EXPECT_NE(run.unknown.find("20 are needed"), std::string::npos);
  EXPECT_NE(badge_of(run).find(">unknown<"), std::string::npos);
}

TEST_F(HistoryFolder, OldReportsHaveNoRegionsOrIntervals) {
  auto old = report(0.5);
  old.erase("regions"), old.erase("runs"), old["mean"].erase("interval"), old.erase("picture");
  run::add_to_history(folder_, old, {});
  const auto runs = run::read_history(folder_).runs;
  EXPECT_EQ(runs[0].regions.size(), 1u);
  EXPECT_FALSE(runs[0].regions[0].interval);
  EXPECT_NE(page_of(runs, "").find("no picture of a step"), std::string::npos);
}

TEST_F(HistoryFolder, NamesADamagedFile) {
  EXPECT_NE(refusal().find("can't be read"), std::string::npos);
  fs::create_directories(folder_);
  EXPECT_NE(refusal().find("There is no run in"), std::string::npos);
  for (const auto* text :
       {"", "{\"format\": 1, \"time\": ", "[]", "{}", "{\"format\": 2}", "{\"format\": 1}",
        "{\"format\": 1, \"time\": \"today\"}", "{\"format\": 1, \"time\": \"2020-11-30T16:42:57Z\", \"regions\": []}",
        "{\"format\": 1, \"time\": \"2020-11-30T16:42:57Z\", \"regions\": [7]}"}) {
    damage(text);
    EXPECT_NE(refusal().find("20260101T000000Z-51a7b2b9.json"), std::string::npos) << text;
    EXPECT_EQ(refusal().find('\n'), std::string::npos) << text;
  }
  damage(R"({"format": 1, "time": "2020-11-30T16:42:57Z", "regions": [{"name": "x", "overlap_fraction": 1e300}]})");
  EXPECT_EQ(refusal(), "");
}

TEST_F(HistoryFolder, PageShowsChangesWithPictures) {
  for (const double overlap : {0.6, 0.6, 0.6, 0.6, 0.2, 0.2, 0.2})
    run::add_to_history(folder_, report(overlap), {"mpirun", "x"});
  auto runs = run::read_history(folder_).runs;
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].commit = {fmt::format("{:040x}", 0xabc00000u + i), "main", i == 4};
  const auto page = page_of(runs, "main");
  const auto has = [&](const std::string& text) { return page.find(text) != std::string::npos; };
  EXPECT_TRUE(has("whole program lost 40 points, from 60\u00a0% to 20\u00a0%"));
  EXPECT_TRUE(has("id=\"change-1\""));
  EXPECT_TRUE(has("<h4>A step before, at 00000000</h4>"));
  EXPECT_TRUE(has("with uncommitted changes"));
  EXPECT_TRUE(has("class=\"compute\""));
  EXPECT_TRUE(has("step/&lt;halo&gt;"));
  EXPECT_FALSE(has("<halo>"));
  EXPECT_FALSE(has("<script"));
  EXPECT_FALSE(has("http"));
}

TEST_F(HistoryFolder, LeavesOutWhatItCannotRead) {
  run::add_to_history(folder_, report(0.5), {"x"});
  damage(R"({"format": 1, "time": ")" + std::string(1'000'000, '1') + R"(", "regions": [{"name": "x"}]})");
  std::ofstream(folder_ / "20380101T000000Z-51a7b2b9.json")
      << R"({"format": 1, "time": "2238-01-01T00:00:00Z", "regions": [{"name": "x"}]})";
  ASSERT_EQ(::mkfifo((folder_ / "20260102T000000Z.json").c_str(), 0600), 0);
  const auto [runs, left_out] = run::read_history(folder_);
  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(left_out.size(), 2u);
  EXPECT_NE(left_out[0].find("its time is not like"), std::string::npos);
  EXPECT_NE(left_out[1].find("its time is in the future"), std::string::npos);
  EXPECT_NE(page_of(runs, "", left_out).find("20380101T000000Z-51a7b2b9.json"), std::string::npos);
}

TEST(HistoryPage, SaysWhatIsUnknownOfACommit) {
  auto run = made_run(0, 0.5);
  EXPECT_EQ(commit_of(run), "51a7b2b9");
  run.commit.dirty.reset();
  EXPECT_EQ(commit_of(run), "51a7b2b9, perhaps with uncommitted changes");
}

TEST(HistoryPage, StaysSmall) {
  for (const int n : {1, 2, 300, 10000}) {
    std::vector<PastRun> runs;
    for (int i = 0; i < n; ++i) {
      runs.push_back(made_run(i, i % 7 == 3 ? -1 : 0.5 + 0.01 * (i % 3)));
      for (int k = 0; k < 20; ++k)
        runs.back().regions.push_back({fmt::format("region {}", k), 0.001, 0.4, {{0.35, 0.45}}});
      if (i % 5 == 0) runs.back().ranks = 4, runs.back().commit.branch = "other";
    }
    const auto file = fs::temp_directory_path() / fmt::format("weft_history_page.{}.json", ::getpid());
    std::ofstream(file) << R"({"format": 1, "time": "2020-11-30T16:42:57Z", "regions": [{"name": "x"}]})";
    for (auto& run : runs) run.file = file;
    const auto page = page_of(runs, "main");
    fs::remove(file);
    EXPECT_LT(page.size(), 2'500'000u) << n;
    EXPECT_EQ(page.find("nan"), std::string::npos);
  }
}

TEST(Badge, HasTheOverlapAndItsName) {
  const auto badge = badge_of(made_run(0, 0.61));
  EXPECT_NE(badge.find("aria-label=\"overlap of mpirun -n 2 jacobi: 61 %\""), std::string::npos);
  EXPECT_EQ(badge.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace weft::history
