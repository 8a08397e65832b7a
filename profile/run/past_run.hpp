// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "run/commit.hpp"

namespace weft::run {

/// The name of the whole program among the regions.
constexpr auto whole_program = "whole program";

/// A region of a run, per step, mean over the ranks.
struct Region {
  struct Interval {
    double low = 0, high = 1;
  };
  std::string name;
  double seconds = 0;
  std::optional<double> overlap;          ///< the overlap fraction; nothing: unknown, or there was nothing to overlap
  std::optional<Interval> interval = {};  ///< of the overlap fraction, at 95 %
};

/// The whole program, and then the regions of a report. The overlap is left out if it is unknown.
std::vector<Region> regions_of(const nlohmann::json& report);

/// A run of a history: the content of one file of its folder.
struct PastRun {
  std::filesystem::path file;
  std::string time;  ///< in UTC: 2026-11-30T16:42:57.123Z
  Commit commit;
  std::string processor, library;
  std::string network = {};                ///< empty if it was not emulated
  double cores = 0, nodes = 1, ranks = 1;  ///< cores of a node
  std::vector<std::string> command;
  std::string program;
  double runs = 1;              ///< of which the intervals are
  std::string unknown;          ///< why the overlap is; empty: it is known
  std::vector<Region> regions;  ///< the first one is the whole program
};

/// Adds a run to a history's folder, which it creates: a file under a new name, complete or not at all, also if others
/// add theirs at the same time. Returns its path. Throws an InputError if it can't be written.
std::filesystem::path add_to_history(const std::filesystem::path& folder, const nlohmann::json& report,
                                     const std::vector<std::string>& command);

/// Reads a file of a history. Throws an InputError that names it if it is damaged.
PastRun read_run(const std::filesystem::path& file);

struct History {
  std::vector<PastRun> runs;          ///< the oldest first
  std::vector<std::string> left_out;  ///< why files are not among them: damaged, of a newer weft or of the future
};

/// The runs in a history's folder. Files with other names than add_to_history() gives are not read. Throws an
/// InputError if there is no run.
History read_history(const std::filesystem::path& folder);

/// The step of a run, as the key `picture` of a report. Null: there is none.
nlohmann::json picture_of_run(const PastRun& run);

}  // namespace weft::run
