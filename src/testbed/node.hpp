// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weft::testbed {

constexpr int most_nodes = 64;
constexpr std::uint32_t subnet = 10u << 24 | 77u << 16;  ///< node i is 10.77.0.(i + 1)

struct NodeOptions {
  int mtu = 1500;
  bool segments_offloaded = true;  ///< the network card cuts what TCP sends (TSO)
};

/// The namespaces of a node. The relay, and the first process of the testbed's process ids, hold each open under a number
/// that who comes later knows: namespace_file(node, kind).
enum class Namespace { net, uts, ipc, mnt };
constexpr int namespaces = 4;
constexpr int namespace_file(int node, int kind) { return 100 + namespaces * node + kind; }

/// Makes node number `index` and leaves the caller in its namespaces. Returns the other end of its network card (TUN).
/// The node has its own network, host name, System V memory, /dev/shm, /sys and /etc/hosts (with all `nodes`); all of it
/// is gone when nobody holds the namespaces open any more, and nothing of it is seen outside.
int make_node(int index, int nodes, const NodeOptions& options);

/// Shows the processes of the caller's own process ids under /proc of the node whose mount namespace it is in.
void mount_proc();

/// Namespaces that one comes back to.
class Home {
 public:
  Home();
  void enter() const;

 private:
  int files_[namespaces];
};

}  // namespace weft::testbed
