// SPDX-License-Identifier: BSD-3-Clause
#include "run/past_run.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <regex>
#include <set>

#include "run/gates.hpp"
#include "run/report/reading.hpp"
#include "run/report/text.hpp"
#include "weft/error.hpp"
#include "weft/file/read_text.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int history_format = 1;

std::string processor_here() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return clean(line.substr(std::min(line.size(), line.find(':') + 2)));
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";  // not all processors have a model name
}

std::string time_after(std::chrono::seconds later = {}) {
  const auto now = (std::chrono::system_clock::now() + later).time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const auto seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000);
}

// 20261130T164257Z-51a7b2b9.json, and with -2, -3 before the ending if there is one of the same second and commit.
std::string name_of_run(const std::string& time, const std::string& hash, int number) {
  std::string name;
  for (const char c : time.substr(0, time.find('.')))
    if (c != '-' && c != ':') name += c;
  return name + "Z" + (hash.empty() ? "" : "-" + hash.substr(0, 8)) + (number > 1 ? fmt::format("-{}", number) : "") +
         ".json";
}

// std::regex needs stack for each character.
bool matches(const std::string& text, const std::regex& form) {
  constexpr std::size_t longest = 40;
  return text.size() <= longest && std::regex_match(text, form);
}

bool is_name_of_run(const std::string& name) {
  static const std::regex form(R"(\d{8}T\d{6}Z(-[0-9a-f]{7,8})?(-\d+)?\.json)");
  return matches(name, form);
}

std::string text_in(const Json& object, const char* key) {
  const auto& value = in(object, key);
  return value.is_string() ? clean(value.get_ref<const std::string&>()) : "";
}

std::optional<Region::Interval> read_interval(const Json& object) {
  const auto& both = in(object, "interval");
  if (!both.is_array() || both.size() != 2 || !both[0].is_number() || !both[1].is_number()) return {};
  const Region::Interval interval{std::clamp(both[0].get<double>(), 0.0, 1.0),
                                  std::clamp(both[1].get<double>(), 0.0, 1.0)};
  if (!(interval.low <= interval.high)) return {};
  return interval;
}

Region read_region(const Json& object, std::string name, bool is_known) {
  Region region{.name = std::move(name), .seconds = number(object, "seconds"), .overlap = {}};
  if (!is_known || !in(object, "overlap_fraction").is_number() || number(object, "overlappable_seconds", 1) <= 0)
    return region;
  region.overlap = std::min(1.0, number(object, "overlap_fraction"));
  region.interval = read_interval(object);
  if (region.interval)
    region.interval = {std::min(region.interval->low, *region.overlap),
                       std::max(region.interval->high, *region.overlap)};
  return region;
}

using Spans = std::vector<Reading::Span>;

// At most so many spans: those with the shortest gaps between them become one.
Spans joined(Spans spans, std::size_t most) {
  std::ranges::stable_sort(spans, {}, &Reading::Span::from);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < spans.size(); ++i) gaps.push_back(spans[i].from - spans[i - 1].to);
  std::vector<std::size_t> order(gaps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return gaps[i]; });
  order.resize(std::min(order.size(), most - 1));
  const std::set<std::size_t> kept(order.begin(), order.end());
  Spans few;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (i == 0 || kept.contains(i - 1))
      few.push_back(spans[i]);
    else
      few.back().to = std::max(few.back().to, spans[i].to);
  return few;
}

// Some ranks of a step, with few spans each: a history has many runs, and its page is for the eye.
Json small_picture(const Json& report) {
  constexpr std::size_t most_ranks = 8, most_spans = 32;
  using Kind = Reading::Span::Kind;
  const auto reading = read(report);
  auto end = reading.picture_seconds;
  for (const auto& rank : reading.picture)
    for (const auto& span : rank.spans) end = reading.picture_seconds > 0 ? end : std::max(end, span.to);
  if (reading.picture.empty() || !(end > 0)) return nullptr;
  const auto rounded = [](double seconds) { return std::stod(fmt::format("{:.4g}", seconds)); };
  Json ranks = Json::array();
  for (std::size_t i = 0; i < std::min(most_ranks, reading.picture.size()); ++i) {
    std::map<std::pair<Kind, int>, Spans> rows;
    for (const auto& span : reading.picture[i].spans)
      if (span.to > span.from) rows[{span.kind, std::min(span.lane, 2)}].push_back(span);
    Json spans = Json::array();
    for (const auto& [row, all] : rows)
      for (const auto& span : joined(all, most_spans)) {
        const auto* kind = row.first == Kind::call ? "call" : row.first == Kind::flight ? "flight" : "late";
        Json one{{"kind", kind}, {"from", rounded(span.from)}, {"to", rounded(span.to)}, {"lane", row.second}};
        if (row.first == Kind::call)
          one["call"] = span.site < reading.sites.size() ? reading.sites[span.site].call : span.call;
        spans.push_back(std::move(one));
      }
    ranks.push_back({{"rank", reading.picture[i].rank}, {"spans", std::move(spans)}});
  }
  return {{"seconds", end}, {"ranks", std::move(ranks)}};
}

Json json_of(const Json& report, const std::vector<std::string>& command, const Commit& commit,
             const std::string& time) {
  const auto& environment = in(report, "environment");
  Json run{{"format", history_format}, {"time", time}, {"program", text_in(report, "program")}};
  if (!commit.hash.empty()) run["commit"] = commit.hash;
  if (commit.dirty) run["dirty"] = *commit.dirty;
  if (!commit.branch.empty()) run["branch"] = commit.branch;
  run["machine"] = {{"processor", processor_here()},
                    {"cores", number(environment, "cores_of_node")},
                    {"nodes", std::max(1.0, number(environment, "nodes"))},
                    {"ranks", number(report, "ranks", 1)},
                    {"library", text_in(report, "library")}};
  if (const auto network = network_of(report); !network.empty()) run["machine"]["network"] = network;
  run["command"] = Json::array();
  for (const auto& word : command) run["command"].push_back(clean(word));
  run["runs"] = number(report, "runs", 1);
  if (const auto why = unfit(report); !why.empty()) run["unknown"] = why;
  for (const auto& region : regions_of(report)) {
    Json one{{"name", region.name}, {"seconds", region.seconds}};
    if (region.overlap) one["overlap_fraction"] = *region.overlap;
    if (region.interval) one["interval"] = {region.interval->low, region.interval->high};
    run["regions"].push_back(std::move(one));
  }
  if (auto picture = small_picture(report); !picture.is_null()) run["picture"] = std::move(picture);
  return run;
}

Json parsed_run(const fs::path& file) {
  const auto damaged = [&](const std::string& why) {
    return InputError(fmt::format("{} is no run of a history ({}). Remove it, or get it again.", file.string(), why));
  };
  auto run = Json::parse(read_text(file, "Remove it, or make it readable."), nullptr, false);
  if (run.is_discarded()) throw damaged("it is not JSON, or its end is missing");
  if (!run.is_object() || !in(run, "format").is_number_integer()) throw damaged("it has no format");
  if (run["format"] != history_format)
    throw InputError(fmt::format("{} has format {} (this program knows {}). Use the version of weft that wrote it.",
                                 file.string(), run["format"].dump(), history_format));
  static const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)");
  if (!matches(text_in(run, "time"), time)) throw damaged("its time is not like 2026-11-30T16:42:57Z");
  // It would be the newest run for years. A day is for clocks and time zones that are wrong.
  if (text_in(run, "time") > time_after(std::chrono::hours(24))) throw damaged("its time is in the future");
  const auto& regions = in(run, "regions");
  if (!regions.is_array() || regions.empty()) throw damaged("it has no regions");
  for (const auto& region : regions)
    if (text_in(region, "name").empty()) throw damaged("a region has no name");
  return run;
}

}  // namespace

std::vector<Region> regions_of(const Json& report) {
  const bool is_known = unfit(report).empty();
  std::vector<Region> all{read_region(in(report, "mean"), whole_program, is_known)};
  if (const auto& regions = in(report, "regions"); regions.is_array())
    for (const auto& region : regions)
      if (auto name = region_name(text_in(region, "name")); !name.empty() && name != whole_program)
        all.push_back(read_region(region, std::move(name), is_known && unfit_region(report, region).empty()));
  return all;
}

fs::path add_to_history(const fs::path& folder, const Json& report, const std::vector<std::string>& command) {
  const auto commit = commit_here();
  const auto time = time_after();
  const auto text = json_of(report, command, commit, time).dump() + "\n";
  for (int number = 1;; ++number) {
    const auto path = folder / name_of_run(time, commit.hash, number);
    std::error_code none;
    if (fs::exists(path, none)) continue;
    try {
      WholeFile file(path);
      file.stream() << text;
      file.finish_new();
      return path;
    } catch (const InputError&) {
      if (!fs::exists(path, none)) throw;  // else another run got this name
    }
  }
}

PastRun read_run(const fs::path& file) {
  const auto json = parsed_run(file);
  const auto& machine = in(json, "machine");
  PastRun run{.file = file,
              .time = text_in(json, "time"),
              .commit = {text_in(json, "commit"), text_in(json, "branch"), {}},
              .processor = text_in(machine, "processor"),
              .library = text_in(machine, "library"),
              .network = text_in(machine, "network"),
              .cores = number(machine, "cores"),
              .nodes = number(machine, "nodes", 1),
              .ranks = number(machine, "ranks", 1),
              .command = {},
              .program = text_in(json, "program"),
              .runs = number(json, "runs", 1),
              .unknown = text_in(json, "unknown"),
              .regions = {}};
  if (const auto& dirty = in(json, "dirty"); dirty.is_boolean()) run.commit.dirty = dirty.get<bool>();
  if (const auto& command = in(json, "command"); command.is_array())
    for (const auto& word : command)
      if (word.is_string()) run.command.push_back(clean(word.get<std::string>()));
  for (const auto& region : json["regions"])
    run.regions.push_back(read_region(region, text_in(region, "name"), run.unknown.empty()));
  return run;
}

History read_history(const fs::path& folder) {
  std::error_code error;
  std::error_code none;
  History history;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (is_name_of_run(at->path().filename().string()) && at->is_regular_file(none)) files.push_back(at->path());
  if (error)
    throw InputError(fmt::format("The history {} can't be read ({}). Give the folder of weft run --history.",
                                 folder.string(), error.message()));
  if (files.empty())
    throw InputError(
        fmt::format("There is no run in {}. Add one with weft run --history {} -- LAUNCHER ... PROGRAM ...",
                    folder.string(), folder.string()));
  std::ranges::sort(files);
  for (const auto& file : files) try {
      history.runs.push_back(read_run(file));
    } catch (const InputError& e) {
      history.left_out.emplace_back(e.what());
    }
  if (history.runs.empty())
    throw InputError(history.left_out.front() +
                     (files.size() > 1 ? fmt::format(" The other {} can't be read either.",
                                                     plural(static_cast<double>(files.size() - 1), "file"))
                                       : ""));
  std::ranges::stable_sort(history.runs, {}, &PastRun::time);
  return history;
}

Json picture_of_run(const PastRun& run) { return in(parsed_run(run.file), "picture"); }

}  // namespace weft::run
