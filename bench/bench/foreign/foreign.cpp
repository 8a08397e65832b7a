// SPDX-License-Identifier: BSD-3-Clause
#include "bench/foreign/foreign.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "bench/shared/process.hpp"
#include "program/scratch_folder.hpp"
#include "run/preload.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft::bench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

enum class Kind : std::uint8_t { plain, watched, driven };
constexpr std::array kinds{Kind::plain, Kind::watched, Kind::driven};
const char* name_of(Kind kind) { return kind == Kind::plain ? "plain" : kind == Kind::watched ? "watched" : "driven"; }

Words split(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The launcher of the MPI library that this program is linked with. Debian may have several libraries installed.
Words default_launcher() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
  int length = 0;
  if (const char* ours = std::getenv("WEFT_MPIEXEC"); ours != nullptr && *ours != 0)  // set by the Python package
    return {ours, "-n", "2"};
  MPI_Get_library_version(library.data(), &length);  // may be called before MPI_Init
  const bool is_open = std::string(library.data()).find("Open MPI") != std::string::npos;
  for (const char* name : {is_open ? "mpirun.openmpi" : "mpiexec.mpich", "mpirun", "mpiexec"})
    if (!find_program(name).empty()) return {name, "-n", "2"};
  throw InputError("There is no mpirun in PATH. Give the command that starts MPI programs with --launcher.");
}

struct Run {
  double wall = 0;
  std::map<std::string, std::string> said;  // the output lines: first word, and the rest
  double number(const std::string& name) const { return std::atof(said.at(name).c_str()); }
};

class Runner {
 public:
  explicit Runner(const ForeignOptions& options)
      : launcher_(options.launcher.empty() ? default_launcher() : split(options.launcher)), scratch_("foreign"),
        library_(run::preload_library()) {
    if (launcher_.empty())
      throw InputError("--launcher is empty. Give the command that starts MPI programs, for example 'mpirun -n 2'.");
    if (launcher_.front().find('/') == std::string::npos) {
      const auto found = find_program(launcher_.front());
      if (found.empty())
        throw InputError(fmt::format(
            "--launcher: There is no program '{}' in PATH. Give a command such as 'mpirun -n 2'.", launcher_.front()));
      launcher_.front() = found.string();
    }
  }

  std::string launcher() const { return fmt::format("{}", fmt::join(launcher_, " ")); }

  Run run(const Words& program, Kind kind) const {
    auto command = launcher_;
    if (kind != Kind::plain) {
      // Set by env on the ranks' nodes, so that it works with any launcher.
      command.insert(command.end(), {"env", "LD_PRELOAD=" + library_.string(), "WEFT_ADVISE_TABLE=off",
                                     "WEFT_ADVISE_OUT=" + (scratch_.path() / "report").string()});
      command.emplace_back(kind == Kind::driven ? "WEFT_PROGRESS=thread" : "WEFT_PROGRESS=passive");
    }
    command.insert(command.end(), program.begin(), program.end());
    const auto output = scratch_.path() / "output";
    const double start = now_seconds();
    const int status = run_program(command, output);
    Run run;
    run.wall = now_seconds() - start;
    if (status != 0)
      throw Error(fmt::format("'{}' ended with status {} ({}).", fmt::join(program, " "), status, name_of(kind)));
    std::ifstream lines(output);
    for (std::string line; std::getline(lines, line);)
      if (const auto blank = line.find(' '); blank != std::string::npos)
        run.said.emplace(line.substr(0, blank), line.substr(blank + 1));
    return run;
  }

 private:
  Words launcher_;
  program::ScratchFolder scratch_;
  fs::path library_;
};

struct Subject {
  std::string name;
  Words program;
  bool is_ours = true;
};

Words own(const std::string& name, std::int64_t steps, std::int64_t units = 0) {
  const Words rest{"foreign", "--subject", name, std::to_string(steps), std::to_string(units)};
  Words words{fs::read_symlink("/proc/self/exe").string()};
  if (const char* weft = std::getenv("WEFT_COMMAND"); weft != nullptr && *weft != 0)  // set by the Python package
    words = {weft, "bench"};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

// The number of steps that take about so long, from short runs that are doubled until they are long enough.
std::int64_t steps_for(const Runner& runner, const std::string& name, std::int64_t units, double seconds) {
  constexpr double enough = 0.3;
  for (std::int64_t steps = 8;; steps *= 4) {
    const double took = runner.run(own(name, steps, units), Kind::plain).number("seconds");
    if (took > enough || took > seconds)
      return std::max<std::int64_t>(8, std::llround(static_cast<double>(steps) * seconds / took));
  }
}

// The computation that takes as long as the exchange alone, so that the exchange can just be overlapped completely.
std::int64_t units_of_an_exchange(const Runner& runner, Report& report) {
  const auto steps = steps_for(runner, "exchange", 0, 1);
  const double exchange =
      runner.run(own("exchange", steps), Kind::plain).number("seconds") / static_cast<double>(steps);
  std::int64_t units = 64;
  double took = 0;
  while (took < 0.3) took = runner.run(own("compute", units *= 4), Kind::plain).number("seconds");
  report.setting("exchange_milliseconds", 1e3 * exchange);
  return std::llround(static_cast<double>(units) * exchange / took);
}

Report::Machine machine_of(const Run& run) {
  return {.mpi = run.said.at("mpi"),
          .ranks = static_cast<int>(run.number("ranks")),
          .nodes = static_cast<int>(run.number("nodes"))};
}

std::vector<Subject> chosen(const ForeignOptions& options, const Runner& runner, Report& report, double seconds) {
  if (!options.program.empty())
    return {{fs::path(options.program.front()).filename().string(), options.program, false}};
  std::vector<Subject> all;
  for (const auto& name : subjects()) {
    const bool is_asked = std::ranges::find(options.names, name) != options.names.end();
    if (options.names.empty() ? options.quick && name == "pingpong" : !is_asked) continue;
    const auto units = name == "exchange" ? units_of_an_exchange(runner, report) : 0;
    all.push_back({name, own(name, steps_for(runner, name, units, seconds), units)});
  }
  return all;
}

// Seconds of runs by kind; runs with the same index were made one after the other.
struct RunTimes {
  std::map<Kind, std::vector<double>> wall, steps;

  double apart_from_steps(Kind kind) const {
    return spread_of(wall.at(kind)).median - spread_of(steps.at(kind)).median;
  }
};

RunTimes tried(const Runner& runner, const Subject& subject, int repeats) {
  RunTimes times;
  std::string sum;
  for (int turn = 0; turn < repeats; ++turn)
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const auto kind = kinds[(k + static_cast<std::size_t>(turn)) % kinds.size()];
      const auto run = runner.run(subject.program, kind);
      times.wall[kind].push_back(run.wall);
      times.steps[kind].push_back(subject.is_ours ? run.number("seconds") : run.wall);
      if (!subject.is_ours) continue;
      if (sum.empty()) sum = run.said.at("sum");
      if (run.said.at("sum") != sum)
        throw Error(fmt::format("{}: The result of a {} run is {}, but that of the first run is {}.", subject.name,
                                name_of(kind), run.said.at("sum"), sum));
    }
  return times;
}

}  // namespace

void foreign(const ForeignOptions& options) {
  const int repeats = options.repeats > 0 ? options.repeats : options.quick ? 3 : 5;
  const double seconds = options.seconds > 0 ? options.seconds : options.quick ? 0.7 : 10;
  const Runner runner(options);
  Report report("foreign", machine_of(runner.run(own("compute", 1), Kind::plain)), options);
  report.setting("launcher", runner.launcher());
  report.setting("repeats", repeats);
  report.setting("seconds", seconds);
  if (!options.program.empty()) report.setting("program", fmt::format("{}", fmt::join(options.program, " ")));

  Spread worst;
  double start_and_end = 0;
  std::optional<Spread> driven_over_plain;
  for (const auto& subject : chosen(options, runner, report, seconds)) {
    const auto times = tried(runner, subject, repeats);
    for (const auto kind : kinds) {
      const auto add = [&](const char* what, const std::vector<double>& samples, const char* unit) {
        report.result(fmt::format("{} {}{}", subject.name, name_of(kind), what), spread_of(samples), unit,
                      {.key = {{"program", subject.name}, {"kind", name_of(kind)}}, .samples = samples});
      };
      const auto& steps = times.steps.at(kind);
      add("", times.wall.at(kind), "s");
      if (subject.is_ours) add(", its steps", steps, "s");
      if (kind == Kind::plain) continue;
      const auto& plain = times.steps.at(Kind::plain);
      std::vector<double> ratios;
      for (std::size_t i = 0; i < steps.size(); ++i) ratios.push_back(steps[i] / plain[i]);
      add(" / plain", ratios, "");
      const auto over = spread_of(ratios);
      if (over.median > worst.median) worst = over;
      if (kind == Kind::driven && (subject.name == "exchange" || !subject.is_ours)) driven_over_plain = over;
      if (subject.is_ours)
        start_and_end = std::max(start_and_end, times.apart_from_steps(kind) - times.apart_from_steps(Kind::plain));
    }
  }
  report.figure("worst_over_plain", worst);
  if (driven_over_plain) report.figure("driven_over_plain", *driven_over_plain);
  if (options.program.empty()) report.figure("start_and_end_seconds", start_and_end);
  report.finish();
}

}  // namespace weft::bench
