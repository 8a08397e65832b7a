// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/run_options.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "weft/exchange/plan.hpp"
#include "weft/progress/progress.hpp"

namespace weft::command_line {

void TuneOption::add_to(CLI::App& command, const std::vector<std::string>& chosen) {
  auto* option =
      command.add_flag("--tune{yes}", wish,
                       "uses the fastest communication settings stored for this machine, MPI library, number of ranks "
                       "and problem; measures and stores them if there are none. --tune=again: measures again");
  option->check(CLI::IsMember({"yes", "again"}));
  for (const auto& other : chosen) option->excludes(other);
}

namespace {
constexpr const char* result_help = "Writes the result and the overlap table to this file (JSON)";
}

CLI::Option* RunOptions::add_case(CLI::App& command, const std::string& check_text, const std::string& example) {
  auto* found = command.add_option("CASE", file, "case file (TOML)");
  command.add_flag("--check", check, check_text);
  command.add_option("--steps", steps, "number of steps, at least 1; default: as in the case")
      ->check([](const std::string& text) {
        constexpr std::size_t most_digits = 15;
        const bool is_number = !text.empty() && text.size() <= most_digits &&
                               text.find_first_not_of("0123456789") == text.npos &&
                               text.find_first_not_of('0') != text.npos;
        return is_number ? std::string() : "'" + text + "' is not a number of steps (a whole number of at least 1)";
      });
  command.add_option("--out", out, "output folder; default: as in the case");
  command
      .add_option("--set", set,
                  "KEY=VALUE: replaces a value of the case, for example --set " + example + "; can be repeated")
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--restart", [this](const std::vector<std::string>& given) { restart = given.empty() ? "" : given.front(); },
          "Restarts from this checkpoint file, or from the newest usable checkpoint in this folder; default: the "
          "output folder")
      ->expected(0, 1)
      ->type_name("[FILE]");
  return found;
}

void RunOptions::add_json(CLI::App& command) { command.add_option("--json", json, result_help); }

void RunOptions::add_trace(CLI::App& command) {
  command.add_flag("--trace{.}", trace,
                   "writes a timeline of all ranks for ui.perfetto.dev to trace.json in the output folder, or with "
                   "--trace=FILE to that file (large; keep the run short)");
}

void RunOptions::add_messages(CLI::App& command, bool case_says) {
  const std::string from_case = case_says ? "; default: as in the case" : "";
  if (!case_says) {
    progress = name_of(ProgressOptions::Kind::polling);
    grouping = name_of(Grouping::per_peer);
  }
  auto* driver = command.add_option("--progress", progress,
                                    "how pending messages make progress: " + progress_names.list() + from_case);
  auto* group =
      command.add_option("--grouping", grouping, "which data share one message: " + grouping_names.list() + from_case);
  if (case_says) return;
  driver->capture_default_str();
  group->capture_default_str();
}

void RunOptions::add_coalesce(CLI::App& command) {
  command.add_option("--coalesce", coalesce, "on: one exchange for all modules of the program; off: one per module")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
}

void RunOptions::add_shared_memory(CLI::App& command) {
  command.add_flag("--shared-memory", shared_memory, "ranks on one node exchange messages through shared memory");
}

void add_result(CLI::App& command, program::RunSettings& settings) {
  command.add_option("--json", settings.json, result_help);
  command.add_option("--trace", settings.trace, "writes a timeline of all ranks to this file, for ui.perfetto.dev");
}

std::vector<std::string> RunOptions::overrides() const {
  auto all = set;
  if (steps >= 0) all.push_back("run.steps=" + std::to_string(steps));
  return all;
}

program::RunSettings RunOptions::settings(const std::filesystem::path& directory) const {
  program::RunSettings settings;
  settings.check = check;
  settings.json = json;
  if (!trace.empty()) settings.trace = trace == "." ? directory / "trace.json" : std::filesystem::path(trace);
  settings.restart = restart;
  settings.tune = tune.wanted();
  return settings;
}

}  // namespace weft::command_line
