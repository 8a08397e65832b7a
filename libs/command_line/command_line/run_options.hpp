// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command_line/tune_option.hpp"
#include "program/run_settings.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace weft::command_line {

/// The options of a subcommand that runs a case: the same names, the same meaning and the same help for each. A program
/// adds those groups that it has, and then its own.
struct RunOptions {
  std::filesystem::path file;
  bool check = false, trace = false, shared_memory = false;
  std::string out, json, progress, coalesce = "on", grouping;  ///< empty: as the case says
  std::int64_t steps = -1;
  std::vector<std::string> set;
  std::optional<std::filesystem::path> restart;  ///< empty path: of the output directory
  TuneOption tune;

  /// CASE (which is returned), --check, --steps, --out, --set and --restart. `check_text` is that option's help,
  /// `example` one of --set, as "wave.cfl=0.3".
  CLI::Option* add_case(CLI::App& command, const std::string& check_text, const std::string& example);
  /// --json.
  void add_json(CLI::App& command);
  /// --trace.
  void add_trace(CLI::App& command);
  /// --progress and --grouping, which are `polling` and `per_peer` unless the case can say them.
  void add_messages(CLI::App& command, bool case_says);
  /// --coalesce.
  void add_coalesce(CLI::App& command);
  /// --shared-memory.
  void add_shared_memory(CLI::App& command);

  /// --set and --steps, as what replaces values of the case.
  std::vector<std::string> overrides() const;
  /// What of it is the frame's, for a run that writes into that directory.
  program::RunSettings settings(const std::filesystem::path& directory) const;
};

/// --json and --trace of a command without a folder of its own: both name a file.
void add_result(CLI::App& command, program::RunSettings& settings);

}  // namespace weft::command_line
