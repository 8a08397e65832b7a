// SPDX-License-Identifier: BSD-3-Clause
#include "predict/runs.hpp"

#include <fmt/format.h>

#include <charconv>

#include "predict/json_file.hpp"

namespace weft::predict {
namespace {

using nlohmann::json;

Traffic read_traffic(const JsonFile& file, const json& from) {
  return {.points = file.number(from, "points"),
          .rounds = file.number(from, "rounds"),
          .peers = file.number(from, "peers"),
          .messages = file.number(from, "messages"),
          .bytes = file.number(from, "bytes"),
          .collectives = file.number(from, "collectives")};
}

RunProfile read_profile(const JsonFile& file, const json& from) {
  RunProfile p;
  p.problem = file.number(from, "problem");
  p.steps = file.number(from, "steps");
  const double ranks = file.number(from, "ranks");
  if (ranks < 1 || ranks > 1e8)
    throw file.wrong("'ranks' is out of range.", "Give a file that weft flow or weft box wrote with --json.");
  p.ranks = static_cast<int>(ranks);
  p.step_seconds = file.number(from, "step_s");
  p.coalesce = file.yes(from, "coalesce");
  p.progress = file.text(from, "progress");
  p.compute_seconds = file.number(from, "compute_s");
  p.imbalance_seconds = file.number(from, "imbalance_s");
  p.jitter_seconds = file.number(from, "jitter_s");
  p.late_seconds = file.number(from, "late_s");
  p.worst_seconds = file.number(from, "worst_s");
  p.polls = file.number(from, "polls");
  p.pack_seconds = file.number(from, "pack_s");
  p.together = read_traffic(file, file.object(from, "together"));
  for (const auto& c : file.list(from, "clients"))
    p.clients.push_back({.name = file.text(c, "client"),
                         .tree = file.yes(c, "tree"),
                         .before = file.number(c, "before_s"),
                         .during = file.number(c, "during_s"),
                         .after = file.number(c, "after_s"),
                         .alone = read_traffic(file, file.object(c, "alone"))});
  constexpr double shortest = 1e-12;  // s; below the resolution of a clock
  if (p.steps < 1 || p.compute_seconds < shortest || p.step_seconds < shortest || p.clients.empty())
    throw file.wrong("The run has no timed step.", "Run a few steps.");
  return p;
}

}  // namespace

std::vector<Run> read_runs(const std::filesystem::path& path) {
  const JsonFile file(path);
  const auto& root = file.root();
  std::vector<Run> runs;
  if (root.is_object() && root.contains("overlap")) {
    runs.push_back({path.string(), read_profile(file, file.object(file.object(root, "overlap"), "profile"))});
  } else if (root.is_object() && root.contains("runs")) {
    for (const auto& run : file.list(root, "runs"))
      runs.push_back({fmt::format("{}#{} ({})", path.string(), runs.size() + 1, file.text(run, "what")),
                      read_profile(file, file.object(run, "profile"))});
  }
  if (runs.empty())
    throw file.wrong("The file contains no run for a prediction.",
                     "Give a file that weft flow, weft box or weft bench steps wrote with --json.");
  return runs;
}

NamedRun named_run(const std::string& given) {
  const auto mark = given.rfind('#');
  if (mark == std::string::npos) return {given};
  std::size_t number = 0;
  const auto* end = given.data() + given.size();
  const auto [at, error] = std::from_chars(given.data() + mark + 1, end, number);
  if (error != std::errc{} || at != end || number == 0) return {given};
  return {given.substr(0, mark), number};
}

Run read_run(const std::string& given) {
  auto [file, number] = named_run(given);
  auto runs = read_runs(file);
  if (number == 0 && runs.size() == 1) number = 1;
  if (number == 0 || number > runs.size()) {
    std::string names;
    for (const auto& run : runs) names += fmt::format("{}{}", names.empty() ? "" : "; ", run.name);
    throw InputError(fmt::format("{}: The file has no such run (it contains {}). Select a run, for example {}#1.",
                                 given, names, file));
  }
  return std::move(runs[number - 1]);
}

}  // namespace weft::predict
