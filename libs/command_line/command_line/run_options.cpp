// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/run_options.hpp"

#include <CLI/CLI.hpp>

#include "weft/exchange/plan.hpp"
#include "weft/progress/progress.hpp"

namespace weft::command_line {

CLI::Option* RunOptions::add_case(CLI::App& command, const std::string& check_text, const std::string& example) {
  auto* found = command.add_option("CASE", file, "the case file (TOML)");
  command.add_flag("--check", check, check_text);
  command.add_option("--steps", steps, "run so many steps instead of the case's")->check([](const std::string& text) {
    constexpr std::size_t most_digits = 15;
    const bool is_number = !text.empty() && text.size() <= most_digits &&
                           text.find_first_not_of("0123456789") == text.npos &&
                           text.find_first_not_of('0') != text.npos;
    return is_number ? std::string() : "'" + text + "' is not a number of steps (a whole number of at least 1)";
  });
  command.add_option("--out", out, "write to this directory");
  command.add_option("--set", set, "key=value, replaces a value of the case, e.g. --set " + example)
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--restart", [this](const std::vector<std::string>& given) { restart = given.empty() ? "" : given.front(); },
          "go on from this checkpoint, or from the last good one in this directory; none given: in the output "
          "directory")
      ->expected(0, 1)
      ->type_name("[FILE]");
  return found;
}

void RunOptions::add_json(CLI::App& command) {
  command.add_option("--json", json, "write the result and what was hidden to this file");
}

void RunOptions::add_trace(CLI::App& command) {
  command.add_flag("--trace", trace, "write a trace of every rank for Perfetto (large: keep the run short)");
}

void RunOptions::add_messages(CLI::App& command, bool case_says) {
  const std::string whoever = case_says ? ", whatever the case says" : "";
  if (!case_says) {
    progress = name_of(ProgressOptions::Kind::polling);
    grouping = name_of(Grouping::per_peer);
  }
  auto* driver =
      command.add_option("--progress", progress, "who drives messages" + whoever + ": " + progress_names.list());
  auto* group = command.add_option("--grouping", grouping,
                                   "which parts share a message" + whoever + ": " + grouping_names.list());
  if (case_says) return;
  driver->capture_default_str();
  group->capture_default_str();
}

void RunOptions::add_coalesce(CLI::App& command) {
  command.add_option("--coalesce", coalesce, "one exchange for all clients, or one each")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
}

void RunOptions::add_shared_memory(CLI::App& command) {
  command.add_flag("--shared-memory", shared_memory, "ranks of one node pass messages in memory that they share");
}

void add_result(CLI::App& command, program::RunSettings& settings) {
  command.add_option("--json", settings.json, "write the result and what was hidden to this file");
  command.add_option("--trace", settings.trace, "write a trace of every rank for Perfetto to this file");
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
  if (trace) settings.trace = directory / "trace.json";
  settings.restart = restart;
  settings.tune = tune.wanted();
  return settings;
}

}  // namespace weft::command_line
