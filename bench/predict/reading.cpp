// SPDX-License-Identifier: BSD-3-Clause
#include "predict/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "predict/network.hpp"
#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::predict {

namespace {

// A JSON file and its values. A missing value or a wrong type throws an InputError with the file and the key.
class JsonFile {
 public:
  explicit JsonFile(std::filesystem::path file) : file_(std::move(file)) {
    constexpr auto help = "Give a file that weft flow, weft box or weft bench wrote with --json.";
    root_ = nlohmann::json::parse(read_text(file_, help), nullptr, false);
    if (root_.is_discarded()) throw wrong("This is not JSON.", help);
  }

  const nlohmann::json& root() const { return root_; }
  // A number from 0 to 1e18: for counts and times; products of two are far from infinite.
  double number(const nlohmann::json& object, const char* key) const {
    const auto x = value(object, key, &nlohmann::json::is_number, "a number").get<double>();
    if (!std::isfinite(x) || x < 0 || x > 1e18) refuse(key, "a number from 0 to 1e18");
    return x;
  }
  std::string text(const nlohmann::json& object, const char* key) const {
    return value(object, key, &nlohmann::json::is_string, "a text").get<std::string>();
  }
  bool yes(const nlohmann::json& object, const char* key) const {
    return value(object, key, &nlohmann::json::is_boolean, "true or false").get<bool>();
  }
  const nlohmann::json& object(const nlohmann::json& object, const char* key) const {
    return value(object, key, &nlohmann::json::is_object, "an object");
  }
  const nlohmann::json& list(const nlohmann::json& object, const char* key) const {
    return value(object, key, &nlohmann::json::is_array, "a list");
  }
  InputError wrong(const std::string& what, const std::string& help) const {
    return InputError(fmt::format("{}: {} {}", file_.string(), what, help));
  }

 private:
  using Is = bool (nlohmann::json::*)() const noexcept;
  const nlohmann::json& value(const nlohmann::json& object, const char* key, Is is_right, const char* wanted) const {
    if (!object.is_object()) refuse(key, "in the file");
    const auto found = object.find(key);
    if (found == object.end()) refuse(key, "in the file");
    if (!((*found).*is_right)()) refuse(key, wanted);
    return *found;
  }
  [[noreturn]] void refuse(const char* key, const char* wanted) const {
    throw wrong(fmt::format("'{}' is not {}.", key, wanted),
                "Give a file that weft flow or weft box wrote with --json.");
  }

  std::filesystem::path file_;
  nlohmann::json root_;
};

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

Network read_network(const std::filesystem::path& file, double per_node) {
  const JsonFile json(file);
  const auto& root = json.root();
  if (!root.is_object() || root.value("benchmark", nlohmann::json()) != "network")
    throw json.wrong("This is not a file of weft bench network --json.", "Give such a file, or --latency and --rate.");
  Network network;
  for (const auto& result : json.list(root, "results")) {
    const auto& key = json.object(result, "key");
    const auto path = json.text(key, "path"), parameter = json.text(key, "parameter"), unit = json.text(result, "unit");
    const double to_si = unit == "us" ? 1e-6 : unit == "ns" ? 1e-9 : 1;
    const Range range{to_si * json.number(result, "median"), to_si * json.number(result, "low"),
                      to_si * json.number(result, "high")};
    if (path == "near" || path == "far") {
      auto& end = path == "near" ? network.near : network.far;
      if (!end) end.emplace();
      if (parameter == "byte" && key.contains("bytes"))
        end->bytes_of_size[json.number(key, "bytes")] = range;
      else
        (parameter == "latency"    ? end->latency
         : parameter == "overhead" ? end->overhead
         : parameter == "point"    ? end->point
                                   : end->byte) = range;
    } else if (path == "all-reduce") {
      network.doubling = range;
    } else {
      network.overlap[path][parameter == "large" ? 1 : 0] = range;
    }
  }
  if (!network.near && !network.far) throw json.wrong("The file contains no latency.", "Measure the network again.");
  const double ranks = json.number(json.object(root, "mpi"), "ranks"),
               nodes = json.number(json.object(root, "machine"), "nodes");
  network.per_node = per_node > 0 ? per_node : std::max(1.0, ranks / std::max(1.0, nodes));
  return network;
}

}  // namespace weft::predict
