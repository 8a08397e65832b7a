// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/report.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

int core_count() { return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); }

// A file name may be invalid UTF-8.
template <class Json>
std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

nlohmann::json to_json(const Report::Setting& setting) {
  return std::visit([](const auto& value) { return nlohmann::json(value); }, setting.value);
}

}  // namespace

Report::Report(std::string benchmark, Transport& transport, const Options& options)
    : benchmark_(std::move(benchmark)), json_file_(options.json),
      processor_(simulated::here ? "simulated" : processor_name()), mpi_(transport.library()), ranks_(transport.size()),
      cores_(simulated::here ? transport.size() : core_count()) {
  const auto hosts = all_gather(transport, host_name());
  on_root(transport, [&] { check(options); });
  setting("quick", options.quick);
  nodes_ = static_cast<int>(std::set<std::string>(hosts.begin(), hosts.end()).size());
}

void Report::check(const Options& options) const {
  if (json_file_.empty()) return;
  check_apart({json_file_}, options.reads);
  WholeFile::check_given(json_file_);
}

Report::Report(std::string benchmark, Machine machine, const Options& options)
    : benchmark_(std::move(benchmark)), json_file_(options.json), processor_(processor_name()),
      mpi_(std::move(machine.mpi)), ranks_(machine.ranks), cores_(core_count()), nodes_(machine.nodes) {
  check(options);
  setting("quick", options.quick);
}

void Report::note(const std::string& text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

std::string Report::table() const {
  std::string text = fmt::format("weft bench {}: {} ranks on {} node{}, {} cores, {}, {}\n", benchmark_, ranks_, nodes_,
                                 nodes_ == 1 ? "" : "s", cores_, processor_, mpi_);
  if (ranks_ > cores_)
    text += "  warning: There are more ranks than cores. The times are not those of a machine with a core per rank.\n";
  for (const auto& [name, value] : settings_) text += fmt::format("  {} = {}\n", name, dumped(to_json(value)));
  std::size_t width = 0;
  for (const auto& r : results_) width = std::max(width, r.what.size());
  text += fmt::format("{:{}}  {:>12} {:>12} {:>12}\n", "", width + 2, "median", "quartile", "quartile");
  for (const auto& r : results_) {
    text += fmt::format("  {:{}}  {:12.4g} {:12.4g} {:12.4g} {}", r.what, width, r.spread.median, r.spread.low,
                        r.spread.high, r.unit);
    if (const auto& i = r.details.interval) text += fmt::format("  95 %: {:.4g} to {:.4g}", i->low, i->high);
    text += '\n';
  }
  for (const auto& note : notes_) text += "  " + note + "\n";
  for (const auto& [name, spread] : figures_) {
    text += fmt::format("  {:{}}  {:12.4g}", name, width, spread.median);
    if (const auto& i = spread.interval) text += fmt::format("  95 %: {:.4g} to {:.4g}", i->low, i->high);
    text += '\n';
  }
  return text;
}

std::string Report::json() const {
  using nlohmann::ordered_json;
  ordered_json document = {{"benchmark", benchmark_},
                           {"machine", {{"processor", processor_}, {"cores", cores_}, {"nodes", nodes_}}},
                           {"mpi", {{"library", mpi_}, {"ranks", ranks_}, {"more_ranks_than_cores", ranks_ > cores_}}}};
  document["settings"] = ordered_json::object();
  for (const auto& [name, value] : settings_) document["settings"][name] = to_json(value);
  document["results"] = ordered_json::array();
  for (const auto& r : results_) {
    ordered_json one = {{"what", r.what},
                        {"median", r.spread.median},
                        {"low", r.spread.low},
                        {"high", r.spread.high},
                        {"unit", r.unit}};
    for (const auto& [name, value] : r.details.key) one["key"][name] = to_json(value);
    if (const auto& i = r.details.interval) one["interval"] = {i->low, i->high};
    if (const auto& samples = r.details.samples; !samples.empty()) {
      one["minimum"] = *std::min_element(samples.begin(), samples.end());
      one["samples"] = samples;
      one["outliers"] = outliers(samples);
    }
    document["results"].push_back(std::move(one));
  }
  document["notes"] = notes_;
  document["figures"] = ordered_json::object();
  for (const auto& [name, spread] : figures_) {
    document["figures"][name] = spread.median;
    if (const auto& i = spread.interval) document["intervals"][name] = {i->low, i->high};
  }
  for (const auto& [what, profile] : runs_)
    document["runs"].push_back({{"what", what}, {"profile", ordered_json::parse(profile)}});
  // One line per result, since there may be thousands of samples.
  std::string text = "{\n";
  for (const auto& [name, value] : document.items()) {
    text += fmt::format("{}  \"{}\": ", text.size() > 2 ? ",\n" : "", name);
    if (name != "results") {
      text += dumped(value);
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i)
      text += fmt::format("{}\n    {}", i > 0 ? "," : "[", dumped(value[i]));
    text += value.empty() ? "[]" : "\n  ]";
  }
  return text + "\n}\n";
}

void Report::finish(Transport& transport) const {
  on_root(transport, [&] { finish(); });
}

void Report::finish() const {
  fmt::print("{}", table());
  std::fflush(stdout);
  if (json_file_.empty()) return;
  WholeFile file(json_file_);
  file.stream() << json();
  file.finish();
}

}  // namespace weft::bench
