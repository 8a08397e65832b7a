// SPDX-License-Identifier: BSD-3-Clause
#include "run/emulated.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "run/executable.hpp"
#include "run/preload.hpp"
#include "weft/error.hpp"

namespace weft::run {
namespace {

// 0: it is no whole number from 1.
int whole_number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

constexpr auto form = "Give LATENCY,RATE or LATENCY,RATE,RANKS_PER_NODE, for example 1ms,1gbit.";

// The ranks of all parts of the command.
int ranks_of(const Words& command, const Launcher& launcher) {
  if (launcher.kind != Kind::openmpi && launcher.kind != Kind::hydra)
    throw InputError(fmt::format(
        "--emulate can't start '{}' on emulated nodes ({}). Give mpirun or mpiexec of Open MPI or MPICH after --.",
        command[launcher.at],
        launcher.kind == Kind::slurm ? "srun starts its ranks on real ones" : "it is not a known launcher"));
  int ranks = 0;
  for (const auto& part : parts_of(command, launcher)) {
    int of_part = 0;
    for (auto i = part.begin; i + 1 < part.program && of_part == 0; ++i) {
      const auto& word = command[i];
      for (const auto* option : {"-n", "-np", "--n", "--np", "-c", "--c"})
        if (word == option && (launcher.kind == Kind::openmpi || word.back() != 'c'))
          of_part = whole_number(command[i + 1]);
      if (word.starts_with('-')) i += values_of(launcher.kind, word);
    }
    if (of_part == 0)
      throw InputError(fmt::format("--emulate needs the number of ranks. Give -n RANKS to {}{}.",
                                   name_of(command[launcher.at]),
                                   part.begin > launcher.at + 1 ? " after each colon" : ""));
    ranks += of_part;
  }
  return ranks;
}

int cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

}  // namespace

Network network_from(const std::string& text) {
  std::vector<std::string> fields{""};
  for (const char c : text)
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  if (fields.size() < 2 || fields.size() > 3 || std::ranges::find(fields, "") != fields.end())
    throw InputError(fmt::format("--emulate is '{}'. {}", text, form));
  Network network{fields[0], fields[1]};
  if (fields.size() == 3 && (network.ranks_per_node = whole_number(fields[2])) == 0)
    throw InputError(fmt::format("--emulate has '{}' ranks per node (a whole number from 1). {}", fields[2], form));
  return network;
}

Emulated::Emulated(const Network& network, const Words& command, const Launcher& launcher)
    : program_((program_folder() / "weft-testbed").string()), name_(fmt::format("run-{}", getpid())),
      ranks_(ranks_of(command, launcher)), ranks_per_node_(network.ranks_per_node),
      nodes_((ranks_ + ranks_per_node_ - 1) / ranks_per_node_) {
  if (executable(program_).empty())
    throw InputError(fmt::format("--emulate needs {}, which is missing. Build it, or install weft again.", program_));
  if (constexpr int most = 64; nodes_ > most)
    throw InputError(
        fmt::format("--emulate needs {} nodes for {} ranks (it has at most {}). {}", nodes_, ranks_, most, form));
  auto said = ask({"up", std::to_string(nodes_), "--latency", network.latency, "--rate", network.rate, "--ttl", "0",
                   "--with", std::to_string(getpid())},
                  60);
  if (said.empty()) return;
  said = said.substr(0, said.find('\n'));
  constexpr std::string_view by = "testbed: ";
  throw InputError(fmt::format("--emulate: {}", said.starts_with(by) ? said.substr(by.size()) : said));
}

Emulated::~Emulated() { ask({"down"}, 30); }

std::string Emulated::ask(const Words& words, double seconds) const {
  Words all{program_, "--name", name_};
  all.insert(all.end(), words.begin(), words.end());
  return output_of(all, environment({}), seconds).value_or(program_ + " does not answer.");
}

Words Emulated::on_nodes(Words command, const Launcher& launcher) const {
  auto parts = parts_of(command, launcher);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->program == part->end) continue;  // the launcher will say what it misses
    auto& program = command[part->program];
    if (executable(program).empty()) program = "./" + program;  // which launchers find, too
    const Words starter{"/proc/1/exe", "rank"};                 // on a node, process 1 is weft-testbed
    command.insert(command.begin() + static_cast<std::ptrdiff_t>(part->program), starter.begin(), starter.end());
  }
  Words all{program_, "--name", name_, "run", "--per-node", std::to_string(ranks_per_node_), "--"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

void Emulated::add_to(nlohmann::json& report) const {
  const auto stats = ask({"stats"}, 10);
  ask({"reset"}, 10);  // for the next run
  const auto value = [&](const char* before) {
    const auto at = stats.find(before);
    double number = 0;
    if (at != std::string::npos) std::sscanf(stats.c_str() + at + std::string_view(before).size(), "%lf", &number);
    return number;
  };
  report["emulated"] = {{"latency_seconds", 1e-6 * value("latency_us ")},
                        {"bits_per_second", value("rate_bit_s ")},
                        {"ranks_per_node", ranks_per_node_},
                        {"nodes", nodes_},
                        {"late_seconds", 1e-6 * value("p99<")}};
  // Each node seems to have all cores of the machine.
  if (auto& environment = report["environment"]; environment.is_object()) {
    environment["cores_of_node"] = cores();
    environment["ranks_on_fullest_node"] = ranks_;
    if (ranks_ > cores()) environment["shared_cores"] = true;
  }
}

}  // namespace weft::run
