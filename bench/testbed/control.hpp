// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace weft::testbed {

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

}  // namespace weft::testbed
