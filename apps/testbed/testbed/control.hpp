// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace weft::testbed {

/// How to reach a testbed that is up: through a socket in the abstract namespace, which is there as long as its relay
/// lives and leaves no file behind. (Who bound it is known to the kernel; a second relay of that name can't.) Returns
/// -1 if the name is taken.
int listen_as(const std::string& name);

struct Testbed {
  std::string name;
  int relay = 0;  ///< process ids
  int first = 0;  ///< the first process of the testbed's own process ids: when it ends, the kernel ends all others
  int nodes = 0;
};

/// Refuses if there is none, or its relay does not answer.
Testbed find(const std::string& name);
/// The relay's process id, 0 if there is none. Needs no answer of it.
int relay_of(const std::string& name);
/// Asks the relay; what it refuses, this refuses.
std::string ask(const std::string& name, const std::string& request);

/// A process that `rank` started, by the number it has in its job.
struct RankProcess {
  int rank;
  int id;
};
std::vector<RankProcess> rank_processes(const Testbed& testbed);

}  // namespace weft::testbed
