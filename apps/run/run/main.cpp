// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "advise/live.hpp"
#include "run/execute.hpp"
#include "run/gate.hpp"
#include "run/launcher.hpp"
#include "run/program.hpp"
#include "run/report/report.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace {

namespace fs = std::filesystem;
namespace run = weft::run;
using nlohmann::json;
using weft::InputError;

struct Options {
  fs::path out, against, report;
  std::string fail_below, step;
  int repeat = 1, deadline = 0;
  bool drive = false, no_trace = false;
  run::Words words;
};

double fraction_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool percent = rest + 1 == end && *rest == '%';
  if (percent) value /= 100;
  if (error != std::errc() || (rest != end && !percent) || !(value >= 0 && value <= 1))
    throw InputError(fmt::format("--fail-below is '{}' (allowed: a share such as 60% or 0.6).", text));
  return value;
}

json read_report(const fs::path& path) {
  std::ifstream file(path);
  if (!file)
    throw InputError(
        fmt::format("{} can't be read ({}). Give the JSON of a run.", path.string(), std::strerror(errno)));
  auto report = json::parse(file, nullptr, false);
  if (!report.is_object() || !report.contains("ranks"))
    throw InputError(fmt::format("{} is no report of weft run. Give the JSON of a run.", path.string()));
  return report;
}

// Beside the program where it was built, below lib where it was installed.
fs::path preload_library() {
  std::error_code none;
  const auto here = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const char* folder : {".", "../lib", "../lib64", "../lib/x86_64-linux-gnu", "../lib/aarch64-linux-gnu"}) {
    const auto path = here / folder / "libweft_advise.so";
    if (fs::exists(path, none)) return fs::weakly_canonical(path, none);
  }
  throw InputError(
      fmt::format("libweft_advise.so is not there (looked beside {} and in ../lib). Build or install weft again.",
                  (here / "weft-run").string()));
}

fs::path with(const fs::path& prefix, const char* ending) { return prefix.string() + ending; }

// The prefix of all files, absolute, with a folder that is there and can be written to.
fs::path prepared_prefix(const Options& o) {
  const bool asked = !o.out.empty();
  auto prefix = fs::absolute(asked ? o.out : fs::path("weft_run")).lexically_normal();
  try {
    std::error_code wrong;
    fs::create_directories(prefix.parent_path(), wrong);
    if (wrong)
      throw InputError(
          fmt::format("{} can't be made ({}). Give another place.", prefix.parent_path().string(), wrong.message()));
    weft::WholeFile::check(with(prefix, ".html"));
    return prefix;
  } catch (const InputError& e) {
    if (asked) throw InputError(fmt::format("--out: {}", e.what()));
  }
  std::string folder = (fs::temp_directory_path() / "weft_run-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    throw InputError("no report can be written, neither here nor in the folder for temporary files. Give --out.");
  fmt::print(stderr, "weft run: {} can't be written to, so the report goes to {}.\n", prefix.parent_path().string(),
             folder);
  return fs::path(folder) / "weft_run";
}

constexpr const char* endings[] = {".json", ".txt", ".trace.json", ".html"};

void remove_old(const fs::path& prefix) {
  std::error_code none;
  for (const char* ending : endings) fs::remove(with(prefix, ending), none);
  const auto start = prefix.filename().string() + ".rank-";
  for (const auto& entry : fs::directory_iterator(prefix.parent_path(), none))
    if (const auto name = entry.path().filename().string(); name.starts_with(start) && name.ends_with(".live"))
      fs::remove(entry.path(), none);
}

void write(const fs::path& path, const std::string& text) {
  weft::WholeFile file(path);
  file.stream() << text;
  file.finish();
}

run::Variables variables(const Options& o, const fs::path& library, const fs::path& prefix) {
  const char* before = std::getenv("LD_PRELOAD");
  const std::string others = before == nullptr || *before == '\0' ? "" : before + std::string(":");
  run::Variables all = {{"LD_PRELOAD", others + library.string()},
                        {"WEFT_ADVISE", "on"},
                        {"WEFT_ADVISE_OUT", prefix.string()},
                        {"WEFT_ADVISE_TABLE", "off"}};
  if (o.drive) all.emplace_back("WEFT_PROGRESS", "thread");
  if (!o.step.empty()) all.emplace_back("WEFT_ADVISE_STEP", o.step);
  if (o.deadline > 0) all.emplace_back("WEFT_ADVISE_DEADLINE", std::to_string(o.deadline));
  if (o.no_trace) all.emplace_back("WEFT_ADVISE_TRACE", "0");
  return all;
}

// One run's report, from the program's own, or from what its ranks left.
std::optional<json> report_of(const fs::path& prefix) {
  std::error_code none;
  fs::remove(with(prefix, ".txt"), none);
  if (fs::exists(with(prefix, ".json"))) return read_report(with(prefix, ".json"));
  const auto left = weft::advise::recovered_json(prefix.string(), true);
  if (!left) return {};
  write(with(prefix, ".json"), *left);
  return json::parse(*left);
}

void show(const json& report, const fs::path& prefix) {
  write(with(prefix, ".html"), run::html_report(report));
  fmt::print(stderr, "\n{}The page: {}\n", run::terminal_report(report), with(prefix, ".html").string());
}

int show_again(const Options& o) {
  std::error_code none;
  if (fs::is_regular_file(o.report, none)) {
    auto prefix = o.report;
    if (prefix.extension() == ".json") prefix.replace_extension();
    show(read_report(o.report), fs::absolute(prefix));
    return 0;
  }
  const auto left = weft::advise::recovered_json(o.report.string(), false);
  if (!left)
    throw InputError(fmt::format(
        "--report {}: there is no such report, nor what ranks left (.rank-0.live). Give a JSON or a prefix.",
        o.report.string()));
  show(json::parse(*left), fs::absolute(o.report));
  return 0;
}

void say_how_it_ended(const run::Ending& ending) {
  if (ending.signal != 0)
    fmt::print(stderr, "weft run: the command was ended by signal {} ({}).\n", ending.signal, strsignal(ending.signal));
  else if (ending.status != 0)
    fmt::print(stderr, "weft run: the command ended with status {}.\n", ending.status);
}

int start(const Options& o) {
  run::Gate gate;
  if (!o.fail_below.empty()) gate.fail_below = fraction_of(o.fail_below);
  if (!o.against.empty()) gate.against = read_report(o.against);
  const auto library = preload_library();
  const auto prefix = prepared_prefix(o);
  const auto launcher = run::launcher_of(o.words[0]);
  if (const auto why = run::why_not_watched(launcher, o.words); !why.empty())
    fmt::print(stderr, "weft run: the program may not be watched: {}.\n", why);

  struct Done {
    json report;
    fs::path prefix;
  };
  std::vector<Done> done;
  remove_old(prefix);
  for (int i = 1; i <= o.repeat; ++i) {
    const auto own = o.repeat == 1 ? prefix : fs::path(fmt::format("{}.{}", prefix.string(), i));
    remove_old(own);
    const auto set = variables(o, library, own);
    const auto ending = run::execute(run::with_variables(launcher, o.words, set),
                                     launcher == run::Launcher::none ? set : run::Variables{});
    say_how_it_ended(ending);
    const auto report = report_of(own);
    if (!report)
      fmt::print(stderr,
                 "weft run: there is no report (the program did not call MPI_Init, or could not be watched).\n");
    else if (o.repeat == 1 || ending.status != 0)
      show(*report, own);
    if (ending.status != 0) return ending.status;  // the program's own status comes first
    if (!report) return gate.asks() ? 4 : 0;
    done.push_back({*report, own});
  }
  if (o.repeat > 1) {
    const auto hidden = [](const Done& d) { return run::hidden_fraction(d.report).value_or(0); };
    std::ranges::sort(done, [&](const Done& a, const Done& b) { return hidden(a) < hidden(b); });
    const auto& middle = done[done.size() / 2];
    for (const char* ending : endings)
      if (fs::exists(with(middle.prefix, ending))) fs::rename(with(middle.prefix, ending), with(prefix, ending));
    show(middle.report, prefix);
    fmt::print(stderr, "Of {} runs the one in the middle: {:.1f} to {:.1f} % is hidden by them.\n", o.repeat,
               100 * hidden(done.front()), 100 * hidden(done.back()));
    for (const auto& one : done) remove_old(one.prefix);
    done = {Done{middle.report, prefix}};
  }
  if (!gate.asks()) return 0;
  const auto judgement = run::judge(gate, done[0].report);
  fmt::print(stderr, "weft run: {}\n", judgement.sentence);
  return judgement.status;
}

int read_and_do(int argc, char** argv) {
  Options o;
  CLI::App app(
      "What any MPI program hides of its communication: runs it, unchanged, and shows where it waits and what to do.\n"
      "  weft run -- mpirun -n 8 ./program input\n"
      "  weft run --fail-below 60% -- mpirun -n 8 ./program\n"
      "Documentation: docs/run.md",
      "weft run");
  app.add_option("COMMAND", o.words, "the command that starts the program, behind --");
  app.add_option("-o,--out", o.out,
                 "what the names of the files start with (PREFIX.html, .json, .trace.json); default: weft_run");
  app.add_option("--fail-below", o.fail_below, "end with status 3 if a smaller share is hidden (60%, 0.6)");
  app.add_option(
      "--against", o.against,
      "end with status 3 if less is hidden than in this report of an earlier run, by more than 5 points: runs of one "
      "program differ by so much");
  app.add_option("--repeat", o.repeat, "run so often, and take the run in the middle (1)")->check(CLI::Range(1, 1000));
  app.add_flag("--drive", o.drive, "a helper thread drives the program's messages while it computes");
  app.add_option("--step", o.step, "a call (MPI_Allreduce) or place (solver.c:88) that ends a step; default: found");
  app.add_option("--deadline", o.deadline, "seconds for all that is done once the program is over (10)")
      ->check(CLI::Range(1, 86400));
  app.add_flag("--no-trace", o.no_trace, "write no trace");
  app.add_option("--report", o.report, "show the report of an earlier run again: its JSON, or the prefix of its files");
  app.set_version_flag("--version", WEFT_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw InputError(fmt::format("{}. See weft run --help.", e.what()));
  }
  if (!o.report.empty()) return show_again(o);
  if (o.words.empty())
    throw InputError("There is no command to run. Give it behind --: weft run -- mpirun -n 4 ./program.");
  return start(o);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return read_and_do(argc, argv);
  } catch (const InputError& e) {
    fmt::print(stderr, "weft run: error: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "weft run: error: {}\n", e.what());
    return 1;
  }
}
