// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbed/forwarder.hpp"
#include "testbed/node.hpp"

namespace weft::testbed {

using Arguments = std::vector<std::string>;

struct UpOptions {
  int nodes = 0;
  LinkOptions links;
  NodeOptions node;
  unsigned seed = 1;      ///< of the jitter
  int seconds = 3600;     ///< lifetime, 0: no limit
  int guardian = 0;       ///< it ends with this process, 0: none
  bool real_time = true;  ///< the forwarder has real-time priority
};

UpOptions parse_up(const Arguments& arguments);
/// Parses --latency, --rate and --jitter; other values stay as in `links`.
LinkOptions parse_links(const Arguments& arguments, LinkOptions links);

/// Opens the socket of a testbed, in the abstract namespace: it exists as long as the forwarder and leaves no file
/// behind. (The kernel knows its owner, and a second forwarder of that name can't bind it.) Returns -1 if the name is
/// in use.
int listen_as(const std::string& name);

struct Testbed {
  std::string name;
  int forwarder = 0;  ///< process ids
  int first = 0;  ///< the first process in the testbed's process id namespace: when it ends, the kernel ends all others
  int nodes = 0;
};

/// An error if there is none, or its forwarder does not answer.
Testbed find(const std::string& name);
/// The forwarder's process id, 0 if there is none; works even if it does not answer.
int forwarder_of(const std::string& name);
/// Sends a request to the forwarder and returns its answer; an error of the forwarder is thrown.
std::string ask(const std::string& name, const std::string& request);

/// A process that `rank` started, with its rank in the job.
struct RankProcess {
  int rank;
  int id;
};
std::vector<RankProcess> rank_processes(const Testbed& testbed);

// Each returns the exit status. `name` identifies the testbed.
int up(const std::string& name, const Arguments& arguments);     ///< NODES [--latency T] [--rate R] [--jitter T] ...
int down(const std::string& name);                               ///< no error if no testbed is up
int status(const std::string& name);                             ///< 0: up, 1: down
int set(const std::string& name, const Arguments& arguments);    ///< --latency T --rate R --jitter T, all optional
int fault(const std::string& name, const Arguments& arguments);  ///< stall LINK SECONDS, slow RANK FACTOR, kill RANK
int check(const std::string& name);                              ///< measures node0 to node1 with plain TCP
/// Runs a command on a node, in the testbed's process id namespace, after `prepare` was called there.
int execute(const Testbed& testbed, const std::string& node, const Arguments& command,
            const std::function<void()>& prepare = {});
/// Runs an MPI program on all nodes: [-n RANKS] [--per-node K] PROGRAM ARGUMENT... Without -n the words are those of a
/// launcher.
int run(const std::string& name, const Arguments& arguments);
/// Starts a testbed, runs a program on it, and ends it: the arguments of up, --, and those of run.
int once(const std::string& name, const Arguments& arguments);

// These run on a node, started by an MPI launcher.
int agent(const Arguments& arguments);  ///< replaces ssh: [-options] HOST COMMAND...
int rank(const Arguments& command);     ///< pins, sets the rank's number for `fault`, then executes the command

/// Enters the network (and, if `whole`, the other namespaces) of a node whose namespaces process `holder` holds open.
/// Keeps the working directory.
void enter_node(int holder, int node, bool whole);
[[noreturn]] void become(const Arguments& command);

}  // namespace weft::testbed
