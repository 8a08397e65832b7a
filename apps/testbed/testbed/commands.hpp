// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace weft::testbed {

using Arguments = std::vector<std::string>;

// Each returns the status that the program ends with. NAME tells testbeds apart.
int up(const std::string& name, const Arguments& arguments);   ///< NODES [--latency T] [--rate R] [--jitter T] ...
int down(const std::string& name);                             ///< also where nothing is up
int status(const std::string& name);                           ///< 0: up, 1: down
int set(const std::string& name, const Arguments& arguments);  ///< --latency T --rate R --jitter T, each if it changes
int fault(const std::string& name, const Arguments& arguments);  ///< stall LINK SECONDS, slow RANK FACTOR, kill RANK
int check(const std::string& name);                              ///< measures node0 to node1 with plain TCP
/// A command on a node, within the testbed's process ids; `then_down` ends the testbed with it.
int execute(const std::string& name, const std::string& node, const Arguments& command, bool then_down);

// These run on a node, started by a launcher of MPI.
int agent(const Arguments& arguments);  ///< in place of ssh: [-options] HOST COMMAND...
int rank(const Arguments& command);     ///< pins, tells the rank's number to `fault`, then becomes the command

/// Enters the network (and the rest, if `whole`) of a node whose namespaces process `holder` has open. Keeps the
/// folder.
void enter_node(int holder, int node, bool whole);
[[noreturn]] void become(const Arguments& command);

}  // namespace weft::testbed
