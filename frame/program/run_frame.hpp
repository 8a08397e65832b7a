// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program/folder_lock.hpp"
#include "program/rows.hpp"
#include "program/run_settings.hpp"
#include "program/stepped.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// The output of a run.
struct RunPlace {
  std::filesystem::path directory{};  ///< the run's own directory; empty: none
  std::string title{};                ///< of the pictures
  bool pictures = false;              ///< whether pictures are drawn at the end
};

/// The outcome of a run.
struct RunEnd {
  std::int64_t from_step = 0;                  ///< the first step
  std::int64_t steps = 0;                      ///< the last step
  double seconds = 0;                          ///< duration of the steps on the slowest rank, without pauses and output
  std::string tuned{};                         ///< what tuning chose, as text; empty: no tuning
  std::vector<std::filesystem::path> files{};  ///< written files, for the list at the end

  /// The number of steps made.
  std::int64_t made() const { return steps - from_step; }
  /// Lists a file once, even if it is added again when it has grown.
  void add(std::filesystem::path file);
};

/// Receives a row of a table: the table's name, the names of its columns, and the row.
using OnRow = std::function<void(const std::string& table, const std::vector<std::string>& columns, std::int64_t step,
                                 std::span<const double> values)>;

/// What every program does around its steps, in this order: checks that its files can be written, prints a report of
/// the run, locks its folder, restarts from a checkpoint, steps, and ends with the result, the pictures and the list of
/// files. Members are collective and throw InputError on every rank, unless stated otherwise.
class RunFrame {
 public:
  /// `world` must outlive the frame.
  RunFrame(Transport& world, RunSettings settings, RunPlace place);
  RunFrame(const RunFrame&) = delete;
  RunFrame& operator=(const RunFrame&) = delete;

  Transport& world() { return world_; }                      ///< as given
  const RunSettings& settings() const { return settings_; }  ///< as given
  /// Whether this rank prints the progress of the run.
  bool speaks() const { return world_.rank() == 0 && !settings_.quiet; }

  /// Registers a file that the run reads; an empty name is ignored. Not collective.
  void reads(std::filesystem::path file);
  /// Registers another file that the run writes; an empty name is ignored. Not collective.
  void writes(std::filesystem::path file);
  /// Registers the files NAME.* and NAME_STEP.* that the run writes in its directory. Not collective.
  void writes_series(const std::vector<std::string>& names);
  /// Refuses a --json or trace file that can't be written, that is an input, or that the run itself writes.
  void check_files() const;
  /// Prints the report of the run, and warnings to the standard error. Returns false if only this is wanted (--check).
  bool announce(const std::string& report, const std::vector<std::string>& warnings) const;
  /// Creates the directory and locks it until the frame is destroyed. A second call does nothing.
  void lock();

  /// Prints the checkpoint from which the run restarts: a state with its `step`, its `file`, and the newer files that
  /// were `refused`. Throws if the case ends before. Not collective, but every rank calls it.
  template <class State>
  void go_on(const State& state, std::int64_t steps) const {
    say_state(state.step, state.file, state.refused, steps);
  }

  /// A table of the run, STEM.csv and STEM.json in its directory. Of an older table the rows below `keep_below` are
  /// kept. The reference is valid as long as the frame.
  Rows& rows(const std::string& stem, std::vector<std::string> columns, std::int64_t keep_below);
  /// Sets a function that receives each row of the tables, on the ranks that append it. Call it before rows().
  void on_row(OnRow receive) { on_row_ = std::move(receive); }
  /// Whether all ranks append all rows, for on_row(); otherwise rank 0 is enough.
  bool has_row_receiver() const { return on_row_ != nullptr; }
  /// Sets a function that is called on every rank after each step and its output, with the number of steps done. If it
  /// returns false, the run ends after the next step. It returns the same on all ranks, or throws on all of them.
  void between_steps(std::function<bool(std::int64_t steps)> call) { between_steps_ = std::move(call); }
  /// The write error of this rank. Not collective.
  KeptFailure& failure() { return failure_; }
  /// Returns when all rows are on the disk, so that a run that restarts from a checkpoint has all rows up to there.
  void sync_rows();
  /// Writes the tables as JSON too, and adds their files.
  void finish_rows(std::vector<std::filesystem::path>& files);

  /// The timeline of the run; it keeps spans if a trace is wanted. Not collective.
  Timeline& timeline() { return timeline_; }
  /// Writes the trace, if one is wanted, and adds its file.
  void leave_trace(std::vector<std::filesystem::path>& files);

  /// Runs from the current state to the end, with tuning if requested.
  RunEnd run(Stepped& program);

  /// Calls `write` on rank 0 with the file of --json, if one is given, and adds that file.
  void leave_result(std::vector<std::filesystem::path>& files,
                    const std::function<void(const std::filesystem::path&)>& write);
  /// Draws the pictures and prints the list of all files.
  void close(std::vector<std::filesystem::path> files);

 private:
  void check_output(const std::filesystem::path& file, const char* option) const;
  bool is_own(const std::filesystem::path& file) const;
  void say_state(std::int64_t step, const std::filesystem::path& file, const std::vector<std::string>& refused,
                 std::int64_t steps) const;

  Transport& world_;
  RunSettings settings_;
  RunPlace place_;
  std::vector<std::filesystem::path> read_{}, written_{};
  std::vector<std::string> series_{};
  std::optional<FolderLock> lock_{};
  KeptFailure failure_{};
  OnRow on_row_{};
  std::function<bool(std::int64_t)> between_steps_{};
  std::deque<Rows> rows_{};
  Timeline timeline_;
};

/// The frame of a run of a case: reads the case file and writes the series `series` to the case's output directory. A
/// case has a `file`, a `title`, and an `output` with `directory` and `pictures`.
template <class Case>
std::unique_ptr<RunFrame> make_case_frame(Transport& world, const Case& c, const RunSettings& settings,
                                          const std::vector<std::string>& series) {
  auto frame = std::make_unique<RunFrame>(
      world, settings, RunPlace{.directory = c.output.directory, .title = c.title, .pictures = c.output.pictures});
  frame->reads(c.file);
  frame->writes_series(series);
  return frame;
}

}  // namespace program
}  // namespace weft
