// SPDX-License-Identifier: BSD-3-Clause
//
// `weft testbed`: emulates a network on this machine.
#include "testbed/commands.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
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
    refuse("The number of nodes is missing. Use weft testbed up NODES [--latency 1ms] [--rate 1gbit] [--jitter 0].");
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
  const int forwarder_file = pidfd_open(forwarder);
  int first_file = -1;
  try {
    first_file = pidfd_open(find(name).first);
    ask(name, "down");
  } catch (const Failure&) {  // the forwarder hangs; the kernel ends the nodes with it
    if (kill(forwarder, SIGKILL) != 0 && errno == EPERM)
      refuse("Another user has started testbed '" + name + "'. Run the command as that user.");
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

constexpr auto usage =
    R"(Emulates a small cluster on one Linux machine and starts MPI programs on it.
Its nodes are namespaces, joined by links of chosen latency, rate and jitter. Ranks on different nodes use TCP, never
shared memory, and the processor is free while data is in flight. Root is needed only where the kernel forbids user
namespaces.
Usage: weft testbed COMMAND ...

  weft testbed up NODES [OPTIONS]                starts a testbed of so many nodes
  weft testbed run -n RANKS [--per-node 1] PROGRAM [ARGUMENT...]
                                                 runs an MPI program, the first ranks on node0; exit status: mpirun's
  weft testbed run [--per-node 1] LAUNCHER [ARGUMENT...]
                                                 the same with your own launcher (Open MPI, MPICH) and its options
  weft testbed once NODES [OPTIONS] -- -n RANKS [--per-node 1] PROGRAM [ARGUMENT...]
                                                 up, run and down in one; goes down also when it is interrupted
  weft testbed exec NODE COMMAND [ARGUMENT...]   runs any command on one node (node0, node1, ...)
  weft testbed fault stall NODE SECONDS|ever     blocks the link of a node for so many seconds; 0 ends it
  weft testbed fault slow RANK FACTOR            lets a rank run for 1/FACTOR of the time (FACTOR 1 to 1000); 1 ends it
  weft testbed fault kill RANK                   kills a rank (kill -9)
  weft testbed set [--latency T] [--rate R] [--jitter T]   changes all links
  weft testbed check                             measures latency and rate from node0 to node1 with plain TCP
  weft testbed status                            prints whether a testbed is up (exit status 1: it is not), and counters
  weft testbed stats | reset                     prints the counters of the forwarder; sets them to 0
  weft testbed down                              ends the testbed and every process on its nodes

Options of up and once:
  --latency T    one-way latency, 0 to 10s, as 1ms or 200us (default 1ms)
  --rate R       rate of a link in each direction, from 1kbit, as 1gbit or 100mbit; inf: no limit (default 1gbit)
  --jitter T     largest random change of the latency, at most the latency (default 0)
  --seed N       seed of the jitter, 0 or more (default 1)
  --mtu BYTES    largest packet, 576 to 65000 (default 1500)
  --ttl SECONDS  lifetime of the testbed; 0: no limit (default 3600)
  --with PID     ends the testbed when that process ends
  --no-tso       turns off segmentation offload of the network cards
  --no-rt        gives the forwarder no real-time priority

Environment:
  TESTBED_NAME   name of the testbed, also --name before the command; several may be up at once (default weft)
  TESTBED_PIN    1: rank r is pinned to core r mod cores (default); 0: ranks are not pinned
  TESTBED_PRIO   nice value of the ranks, e.g. -20 for timing on a machine that is not idle; rt: real time, only for
                 programs whose ranks sleep while they wait. Both need root
  TESTBED_NET    network module of MPICH: ofi (default) or ucx
  MPIEXEC        mpirun or mpiexec for run -n (default: that of the program's MPI library, else the one in PATH)
  MPIEXEC_ARGS   more arguments for it

Examples:
  weft testbed once 2 --latency 1ms --rate 1gbit -- -n 2 ./program
  weft testbed up 4 --latency 100us; weft testbed run -n 4 ./program; weft testbed down
Documentation: docs/testbed.md
)";

int call(Arguments all) {
  const char* variable = std::getenv("TESTBED_NAME");
  std::string name = variable == nullptr || *variable == 0 ? "weft" : variable;
  if (all.size() >= 2 && all[0] == "--name") {
    name = all[1];
    all.erase(all.begin(), all.begin() + 2);
  }
  const auto command = all.empty() ? "help" : all[0];
  const Arguments rest(all.empty() ? all.end() : all.begin() + 1, all.end());
  if (command == "help" || command == "-h" || command == "--help") return std::fputs(usage, stdout) < 0;
  if (command == "rank") return rank(rest);
  if (command[0] == '-' || (command.rfind("node", 0) == 0)) return agent(all);
  if (command == "up") return up(name, rest);
  if (command == "run") return run(name, rest);
  if (command == "once") return once(name, rest);
  if (command == "down") return down(name);
  if (command == "status") return status(name);
  if (command == "set") return set(name, rest);
  if (command == "fault") return fault(name, rest);
  if (command == "check") return check(name);
  if (command == "stats" || command == "reset") return std::fputs(ask(name, command).c_str(), stdout) < 0;
  if (command != "exec")
    refuse("'" + command +
           "' is not a command. Give up, run, once, exec, fault, set, check, status, stats, reset, down or help.");
  if (rest.size() < 2) refuse("exec: The node or the command is missing. Use weft testbed exec NODE COMMAND.");
  return execute(find(name), rest[0], {rest.begin() + 1, rest.end()});
}

}  // namespace
}  // namespace weft::testbed

int main(int argc, char** argv) {
  try {
    return weft::testbed::call({argv + 1, argv + argc});
  } catch (const weft::testbed::Failure& e) {
    std::fprintf(stderr, "testbed: %s\n", e.what());
    return e.status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "testbed: %s\n", e.what());
    return 1;
  }
}
