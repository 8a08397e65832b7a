// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "program/run_settings.hpp"
#include "weft/tune/tuning.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace weft::command_line {

/// `--tune` and `--tune=again`, the same for all subcommands.
struct TuneOption {
  std::string wish;  ///< empty: not given

  /// Excludes the options that tuning chooses, for example "--progress"; these must have been added before.
  void add_to(CLI::App& command, const std::vector<std::string>& chosen);
  /// None if it was not given.
  std::optional<Tuning::Options> wanted() const {
    if (wish.empty()) return {};
    Tuning::Options options;
    options.again = wish == "again";
    return options;
  }
};

/// The options of a command that runs a case, with the same name, meaning and help in each program. A program adds the
/// groups that apply to it, then its own options.
struct RunOptions {
  std::filesystem::path file;
  bool check = false, shared_memory = false;
  std::string trace;  ///< empty: none; "." is no file name: trace.json in the output folder
  std::string out, json, progress, coalesce = "on", grouping;  ///< empty: as in the case
  std::int64_t steps = -1;
  std::vector<std::string> set;
  std::optional<std::filesystem::path> restart;  ///< empty path: the newest checkpoint of the output directory
  TuneOption tune;

  /// CASE (which is returned), --check, --steps, --out, --set and --restart. `check_text` is the help of --check,
  /// `example` an example for --set, such as "wave.cfl=0.3".
  CLI::Option* add_case(CLI::App& command, const std::string& check_text, const std::string& example);
  /// --json.
  void add_json(CLI::App& command);
  /// --trace.
  void add_trace(CLI::App& command);
  /// --progress and --grouping. Their defaults are `polling` and `per_peer`, unless the case can contain them.
  void add_messages(CLI::App& command, bool case_says);
  /// --coalesce.
  void add_coalesce(CLI::App& command);
  /// --shared-memory.
  void add_shared_memory(CLI::App& command);

  /// --set and --steps as overrides of the case.
  std::vector<std::string> overrides() const;
  /// The settings of the run's frame, for a run that writes to `directory`.
  program::RunSettings settings(const std::filesystem::path& directory) const;
};

/// --json and --trace for a command without an output folder: both take a file name.
void add_result(CLI::App& command, program::RunSettings& settings);

}  // namespace weft::command_line
