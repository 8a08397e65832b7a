// SPDX-License-Identifier: BSD-3-Clause
//
// `weft run`: starts an MPI program by any launcher with libweft_advise.so preloaded into its ranks, and shows the
// library's report. It is not an MPI program itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "run/emulated.hpp"
#include "run/executable.hpp"
#include "run/hand_on.hpp"
#include "run/junit.hpp"
#include "run/launcher.hpp"
#include "run/markdown.hpp"
#include "run/options.hpp"
#include "run/past_run.hpp"
#include "run/preload.hpp"
#include "run/process.hpp"
#include "run/report/report.hpp"
#include "run/report/text.hpp"
#include "run/report_files.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::run {
namespace {

using nlohmann::json;

// The variables of each rank: all WEFT_ variables of the environment, which are passed to all nodes, and those of this
// run.
Words variables_of(const Options& options, const ReportFiles& place) {
  Words ours = options.variables;
  ours.push_back("WEFT_ADVISE_OUT=" + place.prefix());
  ours.emplace_back("WEFT_ADVISE_TABLE=off");
  ours.emplace_back("WEFT_ADVISE_NUMBERED=on");
  Words all;
  for (const auto& variable : environment(ours))
    if (variable.starts_with("WEFT_")) all.push_back(variable);
  return all;
}

// Prints which programs can't be recorded. Returns whether any program can.
bool say_obstacles(const Words& command, const Launcher& launcher) {
  if (launcher.unknown)
    say(
        fmt::format("'{} --version' names no known launcher (Open MPI, MPICH, Intel MPI, Slurm). The library is passed "
                    "by the environment alone.",
                    command[launcher.at]));
  bool any = false;
  Words said;
  for (const auto& part : parts_of(command, launcher)) {
    const auto program = part.program < part.end ? command[part.program] : "";
    const auto obstacle = program.empty() ? Obstacle() : obstacle_of(program);
    any = any || obstacle.why.empty() || !obstacle.certain;
    if (obstacle.why.empty() || std::ranges::find(said, program) != said.end()) continue;
    said.push_back(program);
    if (obstacle.certain)
      say(fmt::format("{} can't be recorded ({}).", program, obstacle.why));
    else
      say(fmt::format("{} is recorded only if it opens an MPI library at run time ({}).", program, obstacle.why));
  }
  return any;
}

// How the launcher failed.
std::string failure_of(const Words& command, const Launcher& launcher, const Ending& ending) {
  const auto name = name_of(command[launcher.at]);
  if (ending.signal != 0)
    return fmt::format("{} was {}ended by signal {} ({}).", name, ending.interrupted ? "interrupted, and " : "",
                       ending.signal, strsignal(ending.signal));
  const int signal = ending.status - 128;
  return fmt::format(
      "{} {}ended with status {}{}.", name, ending.interrupted ? "was interrupted, and " : "", ending.status,
      signal > 0 && signal < 65 ? fmt::format(" (128 + {}; {}, if a signal ended it)", signal, strsignal(signal)) : "");
}

// The result of one run.
struct Left {
  json report;
  std::filesystem::path trace;  // renamed, so that the next run does not replace it; empty: none
};

std::optional<Left> left_of(const ReportFiles& place, int number) {
  try {
    auto report = place.report(true);
    if (!report) return {};
    Left left{std::move(*report), {}};
    std::error_code error;
    const auto aside = place.file(fmt::format(".run-{}.trace.json", number));
    std::filesystem::rename(place.file(".trace.json"), aside, error);
    if (!error) left.trace = aside;
    return left;
  } catch (const std::exception& e) {
    say(e.what());
    return {};
  }
}

// Index of the run with the median overlap fraction (the lower one of two). If it is unknown for most runs, one of
// these.
std::size_t median_of(const std::vector<Left>& runs) {
  std::vector<std::size_t> fit;
  std::size_t other = 0;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (unfit(runs[i].report).empty())
      fit.push_back(i);
    else
      other = i;
  if (2 * fit.size() <= runs.size()) return other;
  std::ranges::stable_sort(fit, {}, [&](std::size_t i) { return overlap_of(runs[i].report); });
  const auto middle = fit[(fit.size() - 1) / 2];
  const auto percent = [&](std::size_t i) { return 100 * overlap_of(runs[i].report); };
  if (runs.size() > 1)
    say(fmt::format(
        "The overlap fraction is {:.1f} % to {:.1f} % in {} runs; the report is of the median run ({:.1f} %).",
        percent(fit.front()), percent(fit.back()), fit.size(), percent(middle)));
  return middle;
}

// Gives the files of the chosen run the names of a single run's files; removes those of the others.
void keep(const std::vector<Left>& runs, std::size_t chosen, const ReportFiles& place, bool is_changed) {
  std::error_code none;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (i != chosen && !runs[i].trace.empty()) std::filesystem::remove(runs[i].trace, none);
  if (!runs[chosen].trace.empty()) std::filesystem::rename(runs[chosen].trace, place.file(".trace.json"), none);
  if (!is_changed && std::filesystem::exists(place.file(".json"), none)) return;
  try {
    place.write(".json", runs[chosen].report.dump() + "\n");
  } catch (const std::exception& e) {
    say(e.what());
  }
}

// Prints the report to a stream and writes its page. Errors are printed, and do not change the exit status.
void show(const json& report, const ReportFiles& place, std::FILE* to) {
  try {
    const auto text = terminal_report(report);
    std::fwrite(text.data(), 1, text.size(), to);
    std::fflush(to);
    place.write(".html", html_report(report));
    say(fmt::format("The page is {}.", place.file(".html").string()));
  } catch (const std::exception& e) {
    say(fmt::format("There is no page. {}", e.what()));
  }
}

// "weft_run-2.html: post, 1 rank, 33 ms"
std::string line_of(const json& report, const ReportFiles& place) {
  const auto program = std::filesystem::path(report.value("program", "")).filename().string();
  return fmt::format("{}: {}{}, {}", place.file(".html").filename().string(), program.empty() ? "" : program + ", ",
                     plural(report.value("ranks", 1.0), "rank"), duration(report.value("seconds", 0.0)));
}

// The reports of the further programs that the command has started: writes their pages and lists them.
void show_further(const ReportFiles& place, const json* first, const Options& options,
                  const std::optional<Emulated>& emulated) {
  std::vector<std::string> lines;
  if (first != nullptr) lines.push_back(line_of(*first, place));
  for (const auto& one : place.further()) {
    try {
      auto report = one.report(true);
      one.remove_claims();
      if (!report) continue;
      const auto name = one.prefix();
      if (emulated) emulated->add_to(*report);
      (*report)["number"] = std::stoi(name.substr(name.rfind('-') + 1));
      one.write(".json", report->dump() + "\n");
      one.write(".html", html_report(*report));
      lines.push_back(line_of(*report, one));
    } catch (const std::exception& e) {
      say(e.what());
    }
  }
  place.remove_claims();
  if (lines.size() < 2 && (first != nullptr || lines.empty())) return;
  say(fmt::format("The command started {} MPI programs. Each has a report:", lines.size()));
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < lines.size() && i < most; ++i) say("  " + lines[i]);
  if (lines.size() > most) say(fmt::format("  and {} more.", lines.size() - most));
  if (options.repeat > 1) say("The reports of all but the first are of the last run.");
  if (first != nullptr && options.gates.any()) say("The tests judge the first program only.");
}

// Writes what the tests say for a forge. Returns the exit status: 2 instead of 0 if a file can't be written. `report`
// may be null.
int left_for_forge(const Options& options, const Judgement& judgement, const json& report) {
  int status = judgement.status;
  const auto write = [&](const std::string& file, auto&& text) {
    if (file.empty()) return;
    try {
      WholeFile whole(file);
      whole.stream() << text();
      whole.finish();
    } catch (const std::exception& e) {
      say(e.what());
      status = status == 0 ? 2 : status;
    }
  };
  write(options.markdown, [&] { return markdown_of(judgement.tests, report); });
  write(options.junit, [&] { return junit_of(judgement.tests, report); });
  return status;
}

int concluded(const Options& options, const Judgement& judgement, const json& report) {
  for (const auto& test : judgement.tests) say(test.text);
  return left_for_forge(options, judgement, report);
}

// A failure of all tests.
Judgement unknown(const std::string& why) {
  Judgement result;
  result.add({fmt::format("overlap of {}", whole_program), 4,
              fmt::format("The overlap fraction of this run is unknown: {} (status 4).", why)});
  return result;
}

// Returns whether nothing failed.
bool remember(const Options& options, const json& report) {
  if (options.history.empty()) return true;
  try {
    say(fmt::format("The run was added to the history as {}.",
                    add_to_history(options.history, report, options.command).string()));
  } catch (const std::exception& e) {
    say(fmt::format("The run was not added to the history. {}", e.what()));
    return false;
  }
  return true;
}

// The output files must be different ones, and not the input.
void check_different(const Options& options, const ReportFiles& place) {
  namespace fs = std::filesystem;
  std::error_code none;
  std::vector<std::pair<fs::path, std::string>> files;
  const auto add = [&](const std::string& file, const std::string& what) {
    if (file.empty()) return;
    const auto path = fs::weakly_canonical(fs::current_path(none) / file, none);
    for (const auto& [other, name] : files)
      if (other == path) throw InputError(fmt::format("{} is {}, and so is {}. Give another file.", what, file, name));
    files.emplace_back(path, what);
  };
  add(place.file(".json").string(), "the report");
  add(place.file(".html").string(), "the report's page");
  add(place.file(".trace.json").string(), "the trace");
  add(options.against, "--against");
  add(options.markdown, "--markdown");
  add(options.junit, "--junit");
}

// Called before any file is created or removed.
void check_startable(const std::string& word) {
  if (!executable(word).empty()) return;
  std::error_code none;
  const bool is_there = word.find('/') != std::string::npos && std::filesystem::exists(word, none);
  throw InputError(fmt::format("'{}' can't be started ({}). Give a launcher or a program after --.", word,
                               is_there ? "it is not an executable file" : "there is no such program"));
}

std::string why_nothing(bool watchable) {
  if (!watchable) return "(the program can't be recorded, see above).";
  const char* on = std::getenv("WEFT_ADVISE");
  if (on != nullptr && std::strcmp(on, "off") == 0) return "(WEFT_ADVISE is off in the environment). Unset it.";
  return "(no rank completed MPI_Init with the library, or no rank could write its record). Check that this is an MPI "
         "program, and that the library and the report's folder exist on all nodes.";
}

// Runs the program --repeat times and reports. Returns the exit status of weft run.
int run_job(const Options& options) {
  const auto& command = options.command;
  check_startable(command.front());
  const auto library = preload_library().string();
  const auto launcher = find_launcher(command);
  std::optional<Emulated> emulated;
  if (options.network) emulated.emplace(*options.network, command, launcher);
  const auto place = ReportFiles::for_run(options.out);
  check_different(options, place);
  const bool watchable = say_obstacles(command, launcher);
  auto start = Start{command, environment({})};
  if (watchable) start = with_variables(command, launcher, variables_of(options, place), library);
  if (emulated) start.command = emulated->on_nodes(std::move(start.command), launcher);

  std::vector<Left> runs;
  Ending ending;
  // 3 and 4 are those of the tests: a program's own must not be taken for them.
  const auto failed = [&](const json& report) {
    const int status = ending.status == 3 || ending.status == 4 ? 1 : ending.status;
    Judgement result;
    result.add({fmt::format("overlap of {}", whole_program), status, failure_of(command, launcher, ending)});
    left_for_forge(options, result, report);
    if (!options.history.empty()) say("The run was not added to the history, since it failed.");
    return options.gates.any() ? status : ending.status;
  };
  place.clear();
  std::string cut_off;  // why not all runs were made
  for (int i = 0; i < options.repeat && ending.status == 0 && cut_off.empty(); ++i) {
    place.clear_for_next();
    ending = run(start.command, start.environment);
    if (ending.status != 0) say(failure_of(command, launcher, ending));
    auto left = left_of(place, i + 1);
    const bool is_whole = ending.status == 0 && !(left && has_ended_early(left->report));
    if (ending.status == 0 && !is_whole)
      say(fmt::format("{} ended with status 0, but the program did not reach MPI_Finalize.",
                      name_of(command[launcher.at])));
    if (ending.status != 0) {  // only the failed run is of interest
      std::error_code none;
      for (const auto& run : runs) std::filesystem::remove(run.trace, none);
      runs.clear();
    }
    if (left && emulated) emulated->add_to(left->report);
    if (left) runs.push_back(std::move(*left));
    if (!ending.interrupted || (i + 1 == options.repeat && is_whole)) continue;
    cut_off = options.repeat == 1 ? "a signal interrupted the run"
                                  : fmt::format("a signal ended this command after {} of {} runs", is_whole ? i + 1 : i,
                                                options.repeat);
    if (options.repeat > 1 || ending.status == 0) say(fmt::format("A{}.", cut_off.substr(1)));
  }
  if (runs.empty()) {
    say(fmt::format("There is no report {}", why_nothing(watchable)));
    show_further(place, nullptr, options, emulated);
    if (ending.status != 0) return failed(nullptr);
    return concluded(options, options.gates.any() ? unknown("no report was written") : Judgement(), nullptr);
  }
  const auto chosen = median_of(runs);
  std::vector<const json*> fit;
  for (const auto& run : runs)
    if (unfit(run.report).empty()) fit.push_back(&run.report);
  if (runs.size() > 1) add_intervals(runs[chosen].report, fit);
  keep(runs, chosen, place, runs.size() > 1 || emulated);
  const auto& report = runs[chosen].report;
  show(report, place, stderr);
  show_further(place, &report, options, emulated);
  if (ending.status != 0) return failed(report);
  const bool is_kept = !cut_off.empty() || remember(options, report);
  if (!cut_off.empty() && !options.history.empty())
    say("The run was not added to the history, since it is incomplete.");
  const bool is_unknown = !cut_off.empty() && options.gates.any();
  const int status = concluded(options, is_unknown ? unknown(cut_off) : judge(options.gates, report), report);
  return status == 0 && !is_kept ? 2 : status;
}

// Prints an existing report again.
int show_again(const Options& options) {
  const auto from = ReportFiles::of_report(options.report);
  const auto report = from.report(false);
  if (!report)
    throw InputError(fmt::format("There is no report {}. Give the prefix of a report, or its .json file.",
                                 from.file(".json").string()));
  if (!options.history.empty() && report->contains("sites"))
    throw InputError(
        "--report and --history don't go together (a report of weft run has no commit, time or command). Give "
        "--history "
        "when the program is run.");
  const auto to = options.out.empty() ? from : ReportFiles::for_run(options.out);
  check_different(options, to);
  to.check_page();
  show(*report, to, stdout);
  const bool is_kept = remember(options, *report);
  const int status = concluded(options, judge(options.gates, *report), *report);
  return status == 0 && !is_kept ? 2 : status;
}

}  // namespace
}  // namespace weft::run

int main(int argc, char** argv) {
  weft::run::outlive_streams();
  try {
    const auto options = weft::run::read_options(argc, argv);
    if (!options) return 0;
    return options->report.empty() ? weft::run::run_job(*options) : weft::run::show_again(*options);
  } catch (const weft::InputError& e) {
    weft::run::say_error(e.what());
    return 2;
  } catch (const std::exception& e) {
    weft::run::say_error(e.what());
    return 1;
  }
}
