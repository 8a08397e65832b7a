// SPDX-License-Identifier: BSD-3-Clause
//
// The program that tools/testbed calls: weft_testbed COMMAND NAME ARGUMENT...
#include "testbed/commands.hpp"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <set>

#include "testbed/base.hpp"

namespace weft::testbed {

namespace {

// The value of option number `i`; advances `i` to it.
const std::string& value_of(const Arguments& arguments, std::size_t& i) {
  if (i + 1 == arguments.size()) refuse(arguments[i] + " needs a value.");
  return arguments[++i];
}

bool is_of_links(const Arguments& arguments, std::size_t& i, LinkOptions& links) {
  const auto& option = arguments[i];
  if (option == "--latency")
    links.latency = parse_time(option, value_of(arguments, i));
  else if (option == "--rate")
    links.rate = parse_rate(option, value_of(arguments, i));
  else if (option == "--jitter")
    links.jitter = parse_time(option, value_of(arguments, i));
  else
    return false;
  return true;
}

void check_jitter(const LinkOptions& links) {
  if (links.jitter > links.latency)
    refuse("--jitter is greater than --latency (a packet would arrive before it leaves). Give a smaller jitter.");
}

}  // namespace

LinkOptions parse_links(const Arguments& arguments, LinkOptions links) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!is_of_links(arguments, i, links))
      refuse("'" + arguments[i] + "' is not an option. Give --latency, --rate or --jitter.");
  check_jitter(links);
  return links;
}

UpOptions parse_up(const Arguments& arguments) {
  if (arguments.empty())
    refuse("The number of nodes is missing. Use tools/testbed up NODES [--latency 1ms] [--rate 1gbit] [--jitter 0].");
  UpOptions o;
  o.nodes = parse_integer("NODES", arguments[0], 1, most_nodes);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const auto& option = arguments[i];
    if (is_of_links(arguments, i, o.links)) continue;
    if (option == "--seed")
      o.seed = static_cast<unsigned>(parse_integer(option, value_of(arguments, i), 0, 1'000'000'000));
    else if (option == "--mtu")
      o.node.mtu = parse_integer(option, value_of(arguments, i), 576, 65000);
    else if (option == "--ttl")
      o.seconds = parse_integer(option, value_of(arguments, i), 0, 1'000'000'000);
    else if (option == "--with")
      o.guardian = parse_integer(option, value_of(arguments, i), 1, 1'000'000'000);
    else if (option == "--no-tso")
      o.node.segments_offloaded = false;
    else if (option == "--no-rt")
      o.real_time = false;
    else
      refuse(
          "'" + option +
          "' is not an option. Give --latency, --rate, --jitter, --seed, --mtu, --ttl, --with, --no-tso or --no-rt.");
  }
  check_jitter(o.links);
  return o;
}

namespace {

bool ends_within(int pidfd, int milliseconds) {
  pollfd p{pidfd, POLLIN, 0};
  return pidfd < 0 || poll(&p, 1, milliseconds) > 0;
}

std::string ranks_named(const std::vector<RankProcess>& processes) {
  std::set<int> ranks;
  for (const auto& p : processes) ranks.insert(p.rank);
  std::string text;
  for (const int r : ranks) text += (text.empty() ? "" : ", ") + std::to_string(r);
  return text.empty() ? "none" : text;
}

// The processes of a rank; an error if there are none.
std::vector<int> processes_of(const std::string& name, const std::string& rank_text) {
  const int rank = parse_integer("RANK", rank_text, 0, 1'000'000);
  const auto all = rank_processes(find(name));
  std::vector<int> result;
  for (const auto& p : all)
    if (p.rank == rank) result.push_back(p.id);
  if (result.empty())
    refuse("Rank " + std::to_string(rank) + " is not running. Give a running rank (" + ranks_named(all) + ").");
  return result;
}

}  // namespace

int down(const std::string& name) {
  const int forwarder = forwarder_of(name);
  if (forwarder == 0) return 0;
  if (geteuid() != 0) refuse("tools/testbed down must be run by root (the testbed was started as root). Use sudo.");
  const int forwarder_file = pidfd_open(forwarder);
  int first_file = -1;
  try {
    first_file = pidfd_open(find(name).first);
    ask(name, "down");
  } catch (const Failure&) {  // the forwarder hangs; the kernel ends the nodes with it
    kill(forwarder, SIGKILL);
  }
  if (!ends_within(forwarder_file, 5000)) kill(forwarder, SIGKILL);
  if (!ends_within(forwarder_file, 5000) || !ends_within(first_file, 5000))
    throw Failure("Testbed '" + name + "' could not be ended.", 1);
  return 0;
}

int status(const std::string& name) {
  if (forwarder_of(name) == 0) {
    std::printf("testbed '%s' is down\n", name.c_str());
    return 1;
  }
  const auto t = find(name);
  std::printf("testbed '%s' is up: %d nodes, forwarder %d\n%s", name.c_str(), t.nodes, t.forwarder,
              ask(name, "stats").c_str());
  std::printf("ranks: %s\n", ranks_named(rank_processes(t)).c_str());
  return 0;
}

int set(const std::string& name, const Arguments& arguments) {
  long long latency = 0, rate = 0, jitter = 0;
  std::sscanf(ask(name, "links").c_str(), "%lld %lld %lld", &latency, &rate, &jitter);
  const auto links = parse_links(arguments, {latency, rate, jitter});
  ask(name,
      "set " + std::to_string(links.latency) + " " + std::to_string(links.rate) + " " + std::to_string(links.jitter));
  return 0;
}

int fault(const std::string& name, const Arguments& arguments) {
  const std::string usage =
      "'fault' needs a kind and its values. Give stall NODE SECONDS, slow RANK FACTOR or kill RANK.";
  if (arguments.size() < 2 || arguments.size() != (arguments[0] == "kill" ? 2u : 3u)) refuse(usage);
  if (arguments[0] == "stall") {
    const int nodes = find(name).nodes;
    const auto node = arguments[1].rfind("node", 0) == 0 ? arguments[1].substr(4) : arguments[1];
    const int n = parse_integer("NODE", node, 0, nodes - 1);
    const auto duration =
        arguments[2] == "ever"
            ? for_ever
            : static_cast<std::int64_t>(parse_number("SECONDS (or 'ever')", arguments[2], 0, 1e6) * 1e9);
    ask(name, "stall " + std::to_string(n) + " " + std::to_string(duration));
  } else if (arguments[0] == "slow") {
    const double factor = parse_number("FACTOR", arguments[2], 1, 1000);
    for (const int id : processes_of(name, arguments[1]))
      ask(name, "slow " + std::to_string(id) + " " + std::to_string(factor));
  } else if (arguments[0] == "kill") {
    for (const int id : processes_of(name, arguments[1])) kill(id, SIGKILL);
  } else {
    refuse(usage);
  }
  return 0;
}

namespace {

int run(const Arguments& all) {
  if (all.empty()) refuse("A command is missing. See tools/testbed help.");
  const auto& command = all[0];
  const auto rest = [&](std::size_t from) {
    return Arguments(all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
  };
  if (command == "rank") return rank(rest(1));
  if (command[0] == '-' || (command.rfind("node", 0) == 0 && command != "nodes")) return agent(all);
  if (all.size() < 2) refuse("The name of the testbed is missing. Run tools/testbed instead of this program.");
  const auto& name = all[1];
  if (command == "up") return up(name, rest(2));
  if (command == "down") return down(name);
  if (command == "status") return status(name);
  if (command == "set") return set(name, rest(2));
  if (command == "fault") return fault(name, rest(2));
  if (command == "check") return check(name);
  if (command == "nodes") return std::printf("%d\n", find(name).nodes) < 0;
  if (command == "stats" || command == "reset") return std::fputs(ask(name, command).c_str(), stdout) < 0;
  const bool once = command == "once";
  if ((once || command == "exec") && all.size() >= 4) return execute(name, all[2], rest(3), once);
  refuse("'" + command + "' is not a command. See tools/testbed help.");
}

}  // namespace
}  // namespace weft::testbed

int main(int argc, char** argv) {
  try {
    return weft::testbed::run({argv + 1, argv + argc});
  } catch (const weft::testbed::Failure& e) {
    std::fprintf(stderr, "testbed: %s\n", e.what());
    return e.status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "testbed: %s\n", e.what());
    return 1;
  }
}
