// SPDX-License-Identifier: BSD-3-Clause
#include "program/series.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "program/progress_bar.hpp"
#include "program/readable.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::program {
namespace {

using test::content;

TEST(Series, every_row_is_in_the_file_at_once) {
  const test::Scratch scratch;
  SeriesWriter series(scratch.path() / "a/b/monitor.1", {"step", "x", "y"});
  EXPECT_EQ(series.file(), scratch.path() / "a/b/monitor.1.csv");
  EXPECT_EQ(content(series.file()), "step,x,y\n");
  series.append(0, std::array{0.1, 1e-300});
  EXPECT_EQ(content(series.file()), "step,x,y\n0,0.1,1e-300\n");
  series.append(8'000'000'000, std::array{std::nan(""), -std::numeric_limits<double>::infinity()});
  EXPECT_EQ(content(series.file()), "step,x,y\n0,0.1,1e-300\n8000000000,nan,-inf\n");
  series.write_json();
  EXPECT_EQ(
      content(scratch.path() / "a/b/monitor.1.json"),
      "{\"columns\": [\"step\", \"x\", \"y\"],\n \"rows\": [\n  [0, 0.1, 1e-300],\n  [8000000000, null, null]]}\n");
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "a/b/monitor.1.json.tmp"));
  EXPECT_THROW(series.append(1, std::array{1.0}), Error);
}

TEST(Series, goes_on_below_a_step) {
  const test::Scratch scratch;
  const auto file = scratch.write("monitor.csv", "step,x\n0,0.10\n2,nan\n4,3\n5,");  // the last row is incomplete
  {
    SeriesWriter series(scratch.path() / "monitor", {"step", "x"}, 4);
    series.sync();
    EXPECT_EQ(content(file), "step,x\n0,0.10\n2,nan\n");
    series.append(4, std::array{7.0});
  }
  { const SeriesWriter all(scratch.path() / "monitor", {"step", "x"}, 100); }
  EXPECT_EQ(content(file), "step,x\n0,0.10\n2,nan\n4,7\n");
  scratch.write("monitor.csv", "step,x\n0,1\n1,2");
  { const SeriesWriter whole(scratch.path() / "monitor", {"step", "x"}, 100); }
  EXPECT_EQ(content(file), "step,x\n0,1\n") << "a row without an end";
  { const SeriesWriter other(scratch.path() / "monitor", {"step", "y"}, 100); }
  EXPECT_EQ(content(file), "step,y\n") << "other columns";
}

TEST(Series, a_full_disk_leaves_whole_lines) {
  const test::Scratch scratch;
  SeriesWriter series(scratch.path() / "monitor", {"step", "x"});
  std::string message;
  try {
    const test::FileLimit limit(30);
    for (int step = 0; step < 100; ++step) series.append(step, std::array{0.125});
  } catch (const InputError& e) {
    message = e.what();
  }
  EXPECT_EQ(content(series.file()), "step,x\n0,0.125\n1,0.125\n");
  EXPECT_EQ(message, series.file().string() +
                         ": This file can't be written (File too large). Free some space, or choose another folder.");
}

TEST(Series, a_folder_that_cannot_be_made_is_a_clear_error) {
  const test::Scratch scratch;
  const auto file = scratch.write("file", "");
  try {
    const SeriesWriter series(file / "monitor", {"step"});
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), (file / "monitor.csv").string() +
                                         ": This file can't be written (Not a directory). Choose another folder.");
  }
}

TEST(Series, a_pipe_or_a_link_in_its_place_is_a_clear_error) {
  const test::Scratch scratch;
  const auto theirs = scratch.write("theirs", "mine");
  std::filesystem::create_symlink(theirs, scratch.path() / "link.csv");
  ASSERT_EQ(::mkfifo((scratch.path() / "pipe.csv").c_str(), 0600), 0);
  for (const auto* stem : {"link", "pipe"}) try {
      const SeriesWriter series(scratch.path() / stem, {"step"}, 7);
      ADD_FAILURE() << stem;
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()),
                (scratch.path() / stem).string() +
                    ".csv: This file can't be written (it is no plain file). Choose another folder.");
    }
  EXPECT_EQ(content(theirs), "mine");
}

TEST(ProgressBar, the_line_shows_speed_and_time_left) {
  EXPECT_EQ(step_words(3440, 8000, 1'000'000, 3440, 71.3), "step 3,440/8,000  48.2 MLUPS");
  EXPECT_EQ(progress_line(3440, 8000, "words", 71.3), "[########------------]  43 %  words  1:35 left");
  EXPECT_EQ(step_words(0, 8000, 10, 0, 0), "step 0/8,000  0.0 MLUPS");
  EXPECT_EQ(progress_line(0, 8000, "words", 0), "[--------------------]   0 %  words  ? left");
  EXPECT_EQ(progress_line(7, 0, "words", 5), "words");  // the total is unknown
  // Steps before a restart do not count for the speed.
  EXPECT_EQ(step_words(6000, 8000, 1'000'000, 2000, 10), "step 6,000/8,000  200.0 MLUPS");
  EXPECT_EQ(progress_line(6000, 8000, "words", 10, 4000), "[###############-----]  75 %  words  0:10 left");
  EXPECT_EQ(progress_line(8000, 8000, "words", 1), "[####################] 100 %  words  0:00 left");
}

TEST(ProgressBar, a_file_gets_a_line_every_ten_percent) {
  const test::Scratch scratch;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen((scratch.path() / "log").c_str(), "w"),
                                                               &std::fclose);
  ProgressBar bar(8000, 100, stream.get());
  for (std::int64_t step = 1; step <= 8000; ++step) bar.update(step);
  bar.finish(8000);
  const auto text = content(scratch.path() / "log");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_NE(text.find("  20 %  step 1,600/8,000"), std::string::npos) << text;
  EXPECT_NE(text.find(" 100 %  step 8,000/8,000"), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ProgressBar, short_runs_are_no_trouble) {
  const test::Scratch scratch;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen((scratch.path() / "log").c_str(), "w"),
                                                               &std::fclose);
  ProgressBar bar(3, 100, stream.get());
  for (std::int64_t step = 1; step <= 2; ++step) bar.update(step);
  bar.finish(2);
  const auto text = content(scratch.path() / "log");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

TEST(Readable, numbers_for_people) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(clock_text(21.4), "0:21");
  EXPECT_EQ(clock_text(3599.6), "1:00:00");
  EXPECT_EQ(clock_text(7384), "2:03:04");
  EXPECT_EQ(bytes_text(1.5e9), "1.5 GB");
  EXPECT_EQ(bytes_text(999.6e3), "1 MB");
  EXPECT_EQ(bytes_text(12), "12 bytes");
  EXPECT_EQ(with_prefix(1.2e-5, "s"), "12 us");
  EXPECT_EQ(with_prefix(1e-3, "m"), "1 mm");
  EXPECT_EQ(with_prefix(0, "s"), "0 s");
  EXPECT_EQ(with_prefix(0.11e-3, "m"), "110 um");
}

}  // namespace
}  // namespace weft::program
