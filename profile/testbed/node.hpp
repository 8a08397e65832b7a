// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace weft::testbed {

constexpr int most_nodes = 64;

/// A node has a card on each of two networks: one with the chosen latency and rate, and one for MPI's launchers that is
/// always fast and never fails, like a cluster's management network. So a launcher can end a job whose link is blocked.
struct Network {
  const char* card;
  std::uint32_t subnet;  ///< node i has the address subnet + i + 1
};
constexpr Network networks[] = {{"vnet0", 10u << 24 | 77u << 16}, {"launch0", 10u << 24 | 78u << 16}};
constexpr int number_of_networks = 2;

struct NodeOptions {
  int mtu = 1500;
  bool segments_offloaded = true;  ///< the network card segments TCP's data (TSO)
};

/// The namespaces of a node. The forwarder and the first process of the testbed hold each open under a fixed file
/// number: namespace_file(node, kind).
enum class Namespace { net, uts, ipc, mnt };
constexpr int namespaces = 4;
constexpr int namespace_file(int node, int kind) { return 200 + namespaces * node + kind; }

/// Creates node number `index` and leaves the caller in its namespaces. Returns the other ends of its network cards
/// (TUN). The node has its own network, host name, System V memory, /dev/shm, /sys and /etc/hosts (with all `nodes`).
/// They are not visible outside, and disappear when no process holds the namespaces open.
std::array<int, number_of_networks> make_node(int index, int nodes, const NodeOptions& options);

/// Mounts /proc with the processes of the caller's process id namespace, in the node whose mount namespace it is in.
void mount_proc();

/// The original namespaces, to return to.
class Home {
 public:
  Home();
  void enter() const;

 private:
  int files_[namespaces];
};

}  // namespace weft::testbed
