// SPDX-License-Identifier: BSD-3-Clause
#include "run/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>

#include "run/place.hpp"
#include "weft/error.hpp"

namespace weft::run {
namespace {

constexpr auto about =
    "any MPI program, unmodified: what it hides of its communication, and what it could hide\n"
    "Example: weft run -- mpirun -n 8 ./program input";
constexpr auto statuses =
    "Exit status: the launcher's (128 + n if signal n ended it). Where that is 0: 3 if less is hidden than "
    "--fail-below\n"
    "or --against ask for, 4 if that can't be said. 2: wrong options; nothing was run.";

// An empty value is a variable that a script has not set. It must not switch a gate off.
std::string filled(const std::string& value) { return value.empty() ? "Its value is empty" : ""; }

}  // namespace

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  // What is behind the first -- is not ours, whatever it looks like.
  char** const end = argv + argc;
  char** const mark = std::find_if(argv, end, [](const char* word) { return std::strcmp(word, "--") == 0; });
  if (mark != end) options.command.assign(mark + 1, end);

  std::string below, against, step;
  unsigned deadline = 0;
  bool drive = false, no_trace = false;
  CLI::App app(about, "weft run");
  // The line of usage: "weft run [OPTIONS]", to which nothing can be added but here.
  app.get_formatter()->label("OPTIONS", "OPTIONS] -- LAUNCHER ... PROGRAM ... | weft run [--report FILE");
  app.footer(statuses);
  app.add_option("-o,--out", options.out,
                 "what the files' names begin with: PREFIX.html, .json, .trace.json; default: weft_run")
      ->check(filled, "")
      ->type_name("PREFIX");
  app.add_option("--report", options.report, "run nothing: print this report again and write its page")
      ->check(filled, "")
      ->type_name("PREFIX|FILE.json");
  app.add_option("--fail-below", below, "for tests: exit status 3 if a smaller share is hidden (60%, or 0.6)")
      ->check(filled, "")
      ->type_name("SHARE");
  app.add_option("--against", against,
                 fmt::format("for tests: exit status 3 if less is hidden than in this report, by more than {} points "
                             "(runs of one program differ by some)",
                             100 * allowed_loss))
      ->check(filled, "")
      ->type_name("FILE.json");
  app.add_option("--repeat", options.repeat, "run so many times, and take the median run for the report and for tests")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_option("--step", step, "what ends a step: a call (MPI_Allreduce) or a piece of a place (solver.c:88)")
      ->check(filled, "")
      ->type_name("WHAT");
  app.add_flag("--drive", drive, "a helper thread in each rank drives messages while the program computes");
  app.add_option("--deadline", deadline, "how long the report may take after the program's MPI_Finalize; default: 10")
      ->check(CLI::Range(1, 86400))
      ->type_name("SECONDS");
  app.add_flag("--no-trace", no_trace, "write no trace");
  app.set_version_flag("--version", WEFT_VERSION);
  try {
    app.parse(static_cast<int>(mark - argv), argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    return {};
  } catch (const CLI::ParseError& e) {
    const bool forgotten = mark == end && dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr;
    throw InputError(fmt::format("{}{}. See weft run --help.", e.what(),
                                 forgotten ? " (the launcher and the program come behind --)" : ""));
  }
  if (!options.report.empty() && mark != end)
    throw InputError("--report runs nothing, but there is a command behind --. Give one of them.");
  if (options.report.empty() && options.command.empty())
    throw InputError(
        "There is nothing to run. Give the launcher and the program behind --: weft run -- mpirun -n 8 ./program");
  if (!below.empty()) {
    options.gates.least = share(below);
    if (!options.gates.least)
      throw InputError(
          fmt::format("--fail-below is '{}' (a share is 0% to 100%, or 0 to 1). See weft run --help.", below));
  }
  if (!against.empty()) options.gates.before = read_report(against);
  if (!step.empty()) options.variables.push_back("WEFT_ADVISE_STEP=" + step);
  if (deadline > 0) options.variables.push_back(fmt::format("WEFT_ADVISE_DEADLINE={}", deadline));
  if (drive) options.variables.emplace_back("WEFT_PROGRESS=thread");
  if (no_trace) options.variables.emplace_back("WEFT_ADVISE_TRACE=0");
  return options;
}

}  // namespace weft::run
