// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/command.hpp"
#include "predict/forecast.hpp"
#include "predict/runs.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/names.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::predict {
namespace {

struct PredictOptions {
  std::vector<std::string> runs, checks;
  std::string network, run_network, latency, rate, overhead = "1us", progress = name_of(ProgressOptions::Kind::polling),
                                                   json;
  std::vector<int> ranks;
  int per_node = 0;
  bool force = false;
};

// A value with a unit, such as "1ms", of an option.
double quantity_of(const char* option, const std::string& text, const Names<double>& units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto unit = units.find(std::string_view(end, text.data() + text.size()));
  if (error == std::errc{} && unit && std::isfinite(value) && value > 0) return value * *unit;
  throw InputError(fmt::format("{} is '{}'. Give a number above 0 with a unit ({}).", option, text, units.list()));
}

predict::Network network_of(const PredictOptions& o) {
  if (!o.network.empty()) return predict::read_network(o.network, o.per_node);
  if (o.latency.empty() || o.rate.empty())
    throw InputError(
        "No network is given. Give --network FILE (written by weft bench network --json), or --latency and --rate.");
  constexpr double kilo = 125, mega = 125e3, giga = 125e6;  // bytes per second
  constexpr Names<double> times("time", {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}),
      rates("rate", {{kilo, "kbit"}, {mega, "mbit"}, {giga, "gbit"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}});
  return predict::given_network({.latency_seconds = quantity_of("--latency", o.latency, times),
                                 .bytes_per_second = quantity_of("--rate", o.rate, rates),
                                 .overhead_seconds = quantity_of("--overhead", o.overhead, times),
                                 .per_node = o.per_node > 0 ? static_cast<double>(o.per_node) : 1.0});
}

// Whether the runs were made on the network for which the prediction is, as --run-network same states.
bool own_network(const PredictOptions& o) { return o.run_network == "same"; }

void predict_on_root(const PredictOptions& o) {
  if (!o.json.empty()) {
    for (const auto& run : o.runs) check_apart(o.json, named_run(run).file);
    for (const auto& file : o.checks) check_apart(o.json, file);
    for (const auto& file : {o.network, own_network(o) ? "" : o.run_network}) check_apart(o.json, file);
    WholeFile::check_given(o.json);
  }
  std::vector<predict::Run> runs;
  for (const auto& file : o.runs) runs.push_back(predict::read_run(file));
  std::optional<predict::Network> of_runs;
  if (!o.run_network.empty() && !own_network(o)) of_runs = predict::read_network(o.run_network, 0);
  const auto network = network_of(o);
  if (o.run_network.empty() && o.network.empty())
    throw InputError(
        "The network of the runs is not given (it may differ from that of --latency and --rate). Give --run-network "
        "FILE "
        "(written by weft bench network --json), or --run-network same.");
  const predict::Predictor predictor(predict::Problem(std::move(runs)), network, of_runs);
  constexpr auto anyhow = " --force makes a forecast all the same.";
  if (const auto doubt = predictor.doubt(); !o.force && !doubt.empty()) throw InputError(doubt + anyhow);
  auto forecast = predictor.forecast(o.ranks, o.progress);
  forecast.forced = o.force;
  if (!o.force && !forecast.says_something())
    throw InputError(std::string("No time can be predicted (each could be twice as long). Give runs on more numbers of "
                                 "ranks, or measure the network again, on idle nodes.") +
                     anyhow);
  for (const auto& file : o.checks) {
    // A benchmark measures several problems, of which one may be this; a file without it was given by mistake.
    const auto all = predict::read_runs(file);
    const auto& problem = predictor.problem();
    if (std::ranges::none_of(all, [&](const auto& run) { return problem.is_of(run); }))
      problem.require_same(all.front());
    for (const auto& run : all)
      if (problem.is_of(run)) forecast.checks.push_back(predictor.check(run));
  }
  fmt::print("{}", forecast.text());
  std::fflush(stdout);
  if (o.json.empty()) return;
  WholeFile file(o.json);
  file.stream() << forecast.json();
  file.finish();
}

void add_predict(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<PredictOptions>();
  auto& o = *options;
  auto* command = weft.add_subcommand("predict", command_line::about("predict"));
  command
      ->add_option("RUNS", o.runs,
                   "files that weft flow, weft box or weft bench steps wrote with --json, of one problem, best on two "
                   "or more numbers of ranks; FILE#2 is the second run in FILE")
      ->required();
  auto* network = command->add_option("--network", o.network, "file that weft bench network wrote with --json");
  command->add_option(
      "--run-network", o.run_network,
      "the same file for the network of the runs, or same; with --latency it is required, else the default "
      "is same");
  command->add_flag("--force", o.force, "makes a forecast also from a disturbed run, or with ranges that say nothing");
  command
      ->add_option("--latency", o.latency,
                   "latency of the network, for example 2us or 1ms (s, ms, us, ns); instead of --network")
      ->excludes(network);
  command
      ->add_option("--rate", o.rate,
                   "bandwidth per rank while all ranks send, per second, for example 1gbit or 200MB (kbit, mbit, gbit, "
                   "kB, MB, GB); with --latency")
      ->excludes(network);
  command
      ->add_option("--overhead", o.overhead,
                   "CPU time of a rank for one message sent and one received (s, ms, us, ns); with --latency")
      ->excludes(network)
      ->capture_default_str();
  command
      ->add_option("--per-node", o.per_node,
                   "ranks per node, 1 to 1048576; default: as in the file of --network, else 1")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--ranks", o.ranks, "numbers of ranks to predict, 2 to 100000000, for example 16,64,256")
      ->delimiter(',')
      ->required()
      ->check(CLI::Range(2, 100000000));
  const std::vector<std::string> with_overlap{name_of(ProgressOptions::Kind::polling),
                                              name_of(ProgressOptions::Kind::thread)};
  command
      ->add_option(
          "--progress", o.progress,
          "how pending messages make progress in the strategies with overlap: " + CLI::detail::join(with_overlap, ", "))
      ->check(CLI::IsMember(with_overlap))
      ->capture_default_str();
  command->add_option("--check", o.checks, "files of runs of the same problem: also compares the prediction with them");
  command->add_option("--json", o.json, "writes the prediction to this file (JSON)");
  command_line::explain(
      *command,
      {"weft predict two.json eight.json --network network.json --ranks 16,64,256",
       "weft predict two.json --run-network here.json --latency 2us --rate 500MB --per-node 32 --ranks 64,1024"},
      "docs/predict.md");
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      on_root(world, [&] { predict_on_root(*options); });
      return 0;
    };
  });
}

}  // namespace
}  // namespace weft::predict

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "predict", weft::predict::add_predict);
}
