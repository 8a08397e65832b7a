// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/folder_lock.hpp"
#include "program/kept_failure.hpp"
#include "program/rows.hpp"
#include "program/run_settings.hpp"
#include "program/stepped.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace weft::program {

/// Where a run leaves its files.
struct RunPlace {
  std::filesystem::path directory{};  ///< its own; empty: it has none
  std::string title{};                ///< of the pictures
  bool pictures = false;              ///< made of the directory at the end
};

/// How a run went.
struct RunEnd {
  std::int64_t from_step = 0;  ///< where it began
  std::int64_t steps = 0;      ///< where it ended
  double seconds = 0;          ///< of the steps, of the slowest rank; pauses and what writing took left out
  std::string tuned{};         ///< what was chosen, for a person; empty: nothing was wished for
  std::vector<std::filesystem::path> files{};  ///< that it left, for the list at the end

  /// Steps that it made.
  std::int64_t made() const { return steps - from_step; }
  /// Lists a file, once: one that grows comes again.
  void add(std::filesystem::path file);
};

/// What every program does around its steps, in this order: looks whether its files can be written, says what will be
/// run, locks its folder, goes on from a checkpoint, steps, and closes with the result, the pictures and the list of
/// files. Members are collective unless they say otherwise, and throw InputError on every rank.
class RunFrame {
 public:
  /// `world` is borrowed.
  RunFrame(Transport& world, RunSettings settings, RunPlace place);
  RunFrame(const RunFrame&) = delete;
  RunFrame& operator=(const RunFrame&) = delete;

  Transport& world() { return world_; }                      ///< as given
  const RunSettings& settings() const { return settings_; }  ///< as given
  /// Whether this rank tells a person how the run goes.
  bool speaks() const { return world_.rank() == 0 && !settings_.quiet; }

  /// A file that the run reads; an empty name is none. Not collective.
  void reads(std::filesystem::path file);
  /// A file that the run writes besides; an empty name is none. Not collective.
  void writes(std::filesystem::path file);
  /// What the run writes in its directory: NAME.* and NAME_STEP.* of each. Not collective.
  void writes_series(const std::vector<std::string>& names);
  /// Refuses --json and a trace that can't be written there, that are read, or that the run writes itself.
  void check_files() const;
  /// Says what will be run, and on the standard error what is doubtful of it. False: no more is wanted (--check).
  bool announce(const std::string& report, const std::vector<std::string>& warnings) const;
  /// Makes the directory, and keeps it to this run until the frame ends. Once is enough; again does nothing.
  void lock();

  /// Says what the run goes on from: a state with its `step`, its `file`, and the newer ones that were `refused`.
  /// Throws if the case ends before. Not collective, but every rank calls it.
  template <class State>
  void go_on(const State& state, std::int64_t steps) const {
    say_state(state.step, state.file, state.refused, steps);
  }

  /// A table of the run, STEM.csv and STEM.json in its directory. Of an older one stay the rows below `keep_below`. It
  /// lives as long as the frame.
  Rows& rows(const std::string& stem, std::vector<std::string> columns, std::int64_t keep_below);
  /// What this rank could not write. Not collective.
  KeptFailure& failure() { return failure_; }
  /// Returns when all rows are on the disk: a run that goes on from a checkpoint has all rows up to there.
  void sync_rows();
  /// The tables as JSON, too. Adds their files.
  void finish_rows(std::vector<std::filesystem::path>& files);

  /// What the run is seen doing; keeps spans if a trace is wanted. Not collective.
  Timeline& timeline() { return timeline_; }
  /// Writes the trace, if one is wanted, and adds it.
  void leave_trace(std::vector<std::filesystem::path>& files);

  /// From the state that it is in to the end, tuned if that is wished for.
  RunEnd run(Stepped& program);

  /// Lets `write`, on rank 0, write the result for programs where --json says, and adds that file.
  void leave_result(std::vector<std::filesystem::path>& files,
                    const std::function<void(const std::filesystem::path&)>& write);
  /// The pictures, and the list of all files.
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
  std::deque<Rows> rows_{};
  Timeline timeline_;
};

}  // namespace weft::program
