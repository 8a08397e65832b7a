// SPDX-License-Identifier: BSD-3-Clause
#include "program/run_frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tests/support/scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::program {
namespace {

namespace fs = std::filesystem;
using test::content;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The message of check_files() for a result at `json`, of a run that reads "case" and writes series "rows" into "out".
std::string refusal(const fs::path& folder, const fs::path& json) {
  std::string text;
  run_in_process(1, [&](Transport& world) {
    RunFrame frame(world, {.json = json, .trace = folder / "out/trace.json"}, {.directory = folder / "out"});
    frame.reads(folder / "case");
    frame.writes(folder / "page");
    frame.writes_series({"rows"});
    try {
      frame.check_files();
    } catch (const InputError& e) {
      text = e.what();
    }
  });
  return text;
}

TEST(RunFrame, a_result_is_neither_read_nor_written_by_the_run) {
  const test::Scratch scratch;
  const auto& folder = scratch.path();
  scratch.write("case", "");
  fs::create_directories(folder / "out");
  fs::create_hard_link(folder / "case", folder / "again");
  for (const auto* free : {"result.json", "out/result.json", "out/rows_all.json", "rows.csv", "out/other_00000001"})
    EXPECT_EQ(refusal(folder, folder / free), "") << free;
  for (const auto* read : {"case", "again"}) EXPECT_THAT(refusal(folder, folder / read), HasSubstr("is read")) << read;
  for (const auto* own : {"page", "out/rows.csv", "out/rows.json", "out/rows_00000012.vtkhdf", "out/../out/rows.csv"})
    EXPECT_THAT(refusal(folder, folder / own), HasSubstr("The run itself writes this file")) << own;
  EXPECT_THAT(refusal(folder, folder / "out/trace.json"), HasSubstr("The result and the trace have the same"));
  EXPECT_THAT(refusal(folder, folder / "none/result.json"), HasSubstr("there is no folder"));
}

TEST(RunFrame, what_a_run_goes_on_from_is_read) {
  const test::Scratch scratch;
  const auto file = scratch.write("checkpoint_00000002.weft", "");
  run_in_process(1, [&](Transport& world) {
    for (const auto& from : {file, scratch.path()}) {
      const RunFrame frame(world, {.json = file, .restart = from}, {.directory = scratch.path() / "out"});
      EXPECT_THROW(frame.check_files(), InputError);
    }
  });
}

TEST(RunFrame, what_one_rank_could_not_write_is_thrown_by_all) {
  run_in_process(3, [](Transport& world) {
    KeptFailure failure;
    failure.agree(world);
    failure.keep([&] {
      if (world.rank() == 1) throw InputError("no room.");
    });
    failure.keep([&] {
      if (world.rank() == 1) throw InputError("the second.");
    });
    EXPECT_EQ(failure.any(), world.rank() == 1);
    try {
      failure.agree(world);
      ADD_FAILURE();
    } catch (const InputError& e) {
      EXPECT_TRUE(e.everywhere());
      EXPECT_EQ(std::string(e.what()), "no room.");
    }
  });
}

// Counts its steps; writes checkpoints after odd steps only. Before each step it reports a pause of an hour.
class Counting final : public Stepped {
 public:
  Counting(RunFrame& frame, const test::Scratch& scratch)
      : scratch_(scratch), rows_(&frame.rows("rows", {"step", "twice"}, 0)) {}
  std::int64_t step() const override { return step_; }
  std::int64_t steps() const override { return steps_; }
  std::int64_t sites() const override { return 1; }
  void stop() override { steps_ = std::min(steps_, step_ + 1); }
  void before_step() override { paused_ += 3600; }
  void run_step() override { ++step_; }
  double paused_seconds() const override { return paused_; }
  bool is_broken() const override { return step_ == breaks_at; }
  std::vector<fs::path> write_due() override {
    rows_->append(step_, std::vector{2.0 * static_cast<double>(step_)});
    return step_ == 2 ? std::vector<fs::path>{"two"} : std::vector<fs::path>{};
  }
  bool is_checkpoint_due() const override { return step_ == 2 || is_over(); }
  bool can_write_checkpoint() const override { return step_ % 2 == 1; }
  bool is_checkpoint_listed() const override { return true; }
  fs::path write_checkpoint() override {  // only the last one is kept
    for (const auto step : written) fs::remove(scratch_.path() / std::to_string(step));
    written.push_back(step_);
    return scratch_.write(std::to_string(step_), "");
  }
  std::string problem() const override { return "counting"; }
  std::vector<Setting> candidates() override { return {{}}; }
  std::vector<std::string> kernels() override { return kernel_names; }
  void use(const Setting& setting, bool is_settled) override {
    if (is_settled) settled.push_back(value_of(setting, "kernel", "none"));
  }
  void after_writing() override { done.push_back(step_); }

  std::int64_t breaks_at = -1;
  std::vector<std::int64_t> written{}, done{};
  std::vector<std::string> kernel_names{}, settled{};
  std::int64_t steps_ = 5;

 private:
  std::int64_t step_ = 0;
  double paused_ = 0;
  const test::Scratch& scratch_;
  Rows* rows_;
};

TEST(RunFrame, runs_to_the_end_and_writes_what_is_due) {
  const test::Scratch scratch;
  run_in_process(2, [&](Transport& world) {
    RunFrame frame(world, {.quiet = true}, {.directory = scratch.path()});
    Counting counting(frame, scratch);
    auto end = frame.run(counting);
    EXPECT_EQ(end.made(), 5);
    EXPECT_THAT(counting.written, ElementsAre(3, 5));
    EXPECT_THAT(counting.done, ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(end.files, ElementsAre("two", scratch.path() / "5"));
    frame.finish_rows(end.files);
    EXPECT_EQ(end.files.size(), 4U);
    EXPECT_THAT(end.files, Contains(scratch.path() / "rows.json"));
  });
  EXPECT_EQ(content(scratch.path() / "rows.csv"), "step,twice\n1,2\n2,4\n3,6\n4,8\n5,10\n");
}

TEST(RunFrame, tunes_the_kernel_and_then_the_communication) {
  const test::Scratch scratch;
  for (const int ranks : {1, 2})
    run_in_process(ranks, [&](Transport& world) {
      const auto run = [&](std::int64_t steps) {
        RunFrame frame(world, {.quiet = true, .tune = Tuning::Options{.file = scratch.path() / "tuned.toml"}},
                       {.directory = scratch.path()});
        Counting counting(frame, scratch);
        counting.kernel_names = {"wide", "narrow"};
        counting.steps_ = steps;
        const auto end = frame.run(counting);
        return std::pair(end.tuned, counting.settled);
      };
      const auto [few, none] = run(5);
      EXPECT_THAT(few, HasSubstr("5 iterations are too few"));
      EXPECT_THAT(none, Not(Contains(AnyOf("wide", "narrow"))));
      const auto [chosen, settled] = run(40000);
      EXPECT_THAT(chosen, HasSubstr("kernel "));
      ASSERT_EQ(settled.size(), ranks == 1 ? 1U : 2U) << chosen;
      EXPECT_THAT(settled[0], AnyOf("wide", "narrow"));
      EXPECT_EQ(settled.back() == "none", ranks > 1);
      const auto [stored, again] = run(100);
      EXPECT_THAT(stored, HasSubstr("stored"));
      EXPECT_EQ(again, settled);
    });
}

TEST(RunFrame, nothing_is_written_after_a_broken_step) {
  const test::Scratch scratch;
  run_in_process(2, [&](Transport& world) {
    RunFrame frame(world, {.quiet = true}, {.directory = scratch.path()});
    Counting counting(frame, scratch);
    counting.breaks_at = 3;
    const auto end = frame.run(counting);
    EXPECT_EQ(end.made(), 3);
    EXPECT_THAT(counting.written, IsEmpty());
    EXPECT_THAT(counting.done, ElementsAre(1, 2));
    EXPECT_THAT(end.files, ElementsAre("two"));
  });
}

TEST(RunFrame, a_function_between_steps_can_end_the_run) {
  const test::Scratch scratch;
  run_in_process(2, [&](Transport& world) {
    RunFrame frame(world, {.quiet = true}, {.directory = scratch.path()});
    std::vector<std::int64_t> calls;
    frame.between_steps([&](std::int64_t steps) {
      calls.push_back(steps);
      return steps < 2;
    });
    Counting counting(frame, scratch);
    EXPECT_EQ(frame.run(counting).steps, 3);  // the step after the call is the last one, with its output
    EXPECT_THAT(calls, ElementsAre(1, 2));
    EXPECT_THAT(counting.written, ElementsAre(3));
  });
}

TEST(RunFrame, rows_are_received_and_need_no_file) {
  const test::Scratch scratch;
  run_in_process(2, [&](Transport& world) {
    RunFrame frame(world, {.files = false, .quiet = true}, {.directory = scratch.path() / "none"});
    std::vector<double> received;
    frame.on_row([&](const std::string& table, const std::vector<std::string>& columns, std::int64_t step,
                     std::span<const double> values) {
      EXPECT_EQ(table, "rows");
      EXPECT_THAT(columns, ElementsAre("step", "twice"));
      received.push_back(static_cast<double>(step) + 100 * values[0]);
    });
    frame.lock();
    Counting counting(frame, scratch);
    auto end = frame.run(counting);
    EXPECT_THAT(received, ElementsAre(201, 402, 603, 804, 1005));
    frame.finish_rows(end.files);
    EXPECT_FALSE(fs::exists(scratch.path() / "none"));
    EXPECT_THAT(end.files, Not(Contains(HasSubstr("rows"))));
  });
}

TEST(RunFrame, pauses_are_not_the_steps_time) {
  const test::Scratch scratch;
  run_in_process(1, [&](Transport& world) {
    RunFrame frame(world, {.quiet = true}, {.directory = scratch.path()});
    Counting counting(frame, scratch);
    const double hours = 5 * 3600, seconds = frame.run(counting).seconds;
    EXPECT_GT(seconds, -hours);
    EXPECT_LT(seconds, 3600 - hours);
  });
}

TEST(RunEnd, a_file_that_grows_is_listed_once) {
  RunEnd end;
  for (const auto* file : {"table", "fields", "table"}) end.add(file);
  EXPECT_THAT(end.files, ElementsAre("table", "fields"));
}

}  // namespace
}  // namespace weft::program
