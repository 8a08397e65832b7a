// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace weft::testbed {

using Arguments = std::vector<std::string>;

// Each returns the exit status. `name` identifies the testbed.
int up(const std::string& name, const Arguments& arguments);     ///< NODES [--latency T] [--rate R] [--jitter T] ...
int down(const std::string& name);                               ///< no error if no testbed is up
int status(const std::string& name);                             ///< 0: up, 1: down
int set(const std::string& name, const Arguments& arguments);    ///< --latency T --rate R --jitter T, all optional
int fault(const std::string& name, const Arguments& arguments);  ///< stall LINK SECONDS, slow RANK FACTOR, kill RANK
int check(const std::string& name);                              ///< measures node0 to node1 with plain TCP
/// Runs a command on a node, in the testbed's process id namespace; `then_down`: ends the testbed afterwards.
int execute(const std::string& name, const std::string& node, const Arguments& command, bool then_down);

// These run on a node, started by an MPI launcher.
int agent(const Arguments& arguments);  ///< replaces ssh: [-options] HOST COMMAND...
int rank(const Arguments& command);     ///< pins, sets the rank's number for `fault`, then executes the command

/// Enters the network (and, if `whole`, the other namespaces) of a node whose namespaces process `holder` holds open.
/// Keeps the working directory.
void enter_node(int holder, int node, bool whole);
[[noreturn]] void become(const Arguments& command);

}  // namespace weft::testbed
