// SPDX-License-Identifier: BSD-3-Clause
#include "run/options.hpp"

#include <fmt/format.h>
#include <weft_version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "run/report_files.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::run {
namespace {

constexpr auto about =
    "Runs an MPI program unmodified, and reports how much of its communication is overlapped with computation and what "
    "could be gained.\n"
    "The launcher and the program follow after --. The report is written to weft_run.html and weft_run.json.";
constexpr auto statuses =
    "Overlap fraction: overlapped time / the longest that could be overlapped, 0 to 1.\n"
    "Exit status: the launcher's (128 + n if signal n ended it). If that is 0: 3 if the overlap fraction is less than\n"
    "--fail-below or --against require, 4 if it is unknown (with them the launcher's 3 and 4 become 1). 2: wrong\n"
    "options, or a file can't be written.\n"
    "Examples:\n"
    "  weft run -- mpirun -n 8 ./program input\n"
    "  weft run --repeat 5 --fail-below 60% -- mpirun -n 4 ./program small.input\n"
    "  weft run --emulate 1ms,1gbit -- mpirun -n 2 ./program\n"
    "Documentation: docs/run.md";

// An empty value usually is a script's unset variable. It must not switch a gate off.
std::string filled(const std::string& value) { return value.empty() ? "Its value is empty" : ""; }

}  // namespace

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  // Words after the first -- are the command, even if they look like options of weft run.
  char** const end = argv + argc;
  char** const mark = std::find_if(argv, end, [](const char* word) { return std::strcmp(word, "--") == 0; });
  if (mark != end) options.command.assign(mark + 1, end);

  std::string step, emulate;
  std::vector<std::string> below;
  unsigned deadline = 0;
  bool drive = false, no_trace = false;
  CLI::App app(about, "weft run");
  // CLI11 prints "weft run [OPTIONS]" as usage; this label is the only way to extend that line.
  app.get_formatter()->label("OPTIONS", "OPTIONS] -- LAUNCHER ... PROGRAM ... | weft run [--report FILE");
  app.footer(statuses);
  app.add_option("-o,--out", options.out,
                 "path and start of the output files' names: PREFIX.html, .json, .trace.json; default: weft_run")
      ->check(filled, "")
      ->type_name("PREFIX");
  app.add_option("--report", options.report, "run no program; print an existing report again and write its page")
      ->check(filled, "")
      ->type_name("PREFIX|FILE.json");
  app.add_option(
         "--fail-below", below,
         "for tests: exit status 3 if the overlap fraction is less, 0% to 100% or 0 to 1 (60%, 0.6); of a region "
         "NAME:60%; repeatable")
      ->check(filled, "")
      ->type_name("FRACTION");
  app.add_option(
         "--against", options.against,
         fmt::format("for tests: exit status 3 if the overlap fraction is more than {} percentage points less than in "
                     "this earlier report",
                     100 * allowed_loss))
      ->check(filled, "")
      ->type_name("FILE.json");
  app.add_option("--repeat", options.repeat,
                 "number of runs, 1 to 1000; the report and the tests take the median run; default: 1")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_option("--emulate", emulate,
                 "run the ranks on nodes of their own with an emulated network, for example 1ms,1gbit; 1ms,1gbit,4: "
                 "four ranks on each node")
      ->check(filled, "")
      ->type_name("LATENCY,RATE");
  app.add_option("--history", options.history, "folder to add the run to, for the page of weft history")
      ->check(filled, "")
      ->type_name("FOLDER");
  app.add_option("--markdown", options.markdown, "file for a summary in Markdown, also if a test fails")
      ->check(filled, "")
      ->type_name("FILE");
  app.add_option("--junit", options.junit, "file for the results of the tests, as JUnit's XML")
      ->check(filled, "")
      ->type_name("FILE");
  app.add_option("--step", step,
                 "what ends a step: an MPI call (MPI_Allreduce) or a part of a call site (solver.c:88); default: "
                 "detected")
      ->check(filled, "")
      ->type_name("WHAT");
  app.add_flag(
      "--progress-thread,--drive", drive,
      "run a progress thread in each rank, which makes progress calls while the program computes; default: off");
  app.add_option("--deadline", deadline, "time-out of the report in MPI_Finalize, in seconds, 1 to 86400; default: 10")
      ->check(CLI::Range(1, 86400))
      ->type_name("SECONDS");
  app.add_flag("--no-trace", no_trace, "do not write the trace file");
  app.set_version_flag("--version", WEFT_VERSION);
  try {
    app.parse(static_cast<int>(mark - argv), argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    return {};
  } catch (const CLI::ExtrasError&) {  // its text has the words backwards
    throw InputError(fmt::format("'{}' is not expected here{}. See weft run --help.", app.remaining().front(),
                                 mark == end ? " (the launcher and the program go after --)" : ""));
  } catch (const CLI::ParseError& e) {
    throw InputError(fmt::format("{}. See weft run --help.", e.what()));
  }
  if (!options.report.empty() && mark != end)
    throw InputError("--report runs no program, but there is a command after --. Give only one of them.");
  for (const auto* of_a_run : {"--emulate", "--repeat", "--step", "--deadline", "--progress-thread", "--no-trace"})
    if (!options.report.empty() && app.count(of_a_run) > 0)
      throw InputError(fmt::format("--report runs no program, but {} is for one. Give only one of them.", of_a_run));
  if (options.report.empty() && options.command.empty())
    throw InputError(
        "There is nothing to run. Give the launcher and the program after --, as in 'weft run -- mpirun -n 8 "
        "./program'.");
  for (const auto& one : below) {
    const auto least = least_of(one);
    if (!least)
      throw InputError(
          fmt::format("--fail-below is '{}' (an overlap fraction is 0% to 100%, or 0 to 1). Give, for "
                      "example, 60%, or of a region halo:60%.",
                      one));
    options.gates.least.push_back(*least);
  }
  if (!emulate.empty()) options.network = network_from(emulate);
  if (!options.against.empty()) options.gates.before = read_report(options.against);
  if (!options.history.empty()) try {
      WholeFile::check(std::filesystem::path(options.history) / "run.json");
    } catch (const InputError&) {  // it names that file
      throw InputError(
          fmt::format("--history is {} (no file can be written there). Give another folder.", options.history));
    }
  for (const auto& file : {options.markdown, options.junit})
    if (!file.empty()) WholeFile::check_given(file);
  if (!step.empty()) options.variables.push_back("WEFT_ADVISE_STEP=" + step);
  if (deadline > 0) options.variables.push_back(fmt::format("WEFT_ADVISE_DEADLINE={}", deadline));
  if (drive) options.variables.emplace_back("WEFT_PROGRESS=thread");
  if (no_trace) options.variables.emplace_back("WEFT_ADVISE_TRACE=0");
  return options;
}

}  // namespace weft::run
