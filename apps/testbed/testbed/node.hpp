// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace weft::testbed {

constexpr int most_nodes = 64;

/// A node has a card on each of two networks: the one of chosen latency and rate, and one for MPI's launchers, that is
/// always fast and never fails, as clusters have it for their management. So a launcher can end a job whose link is
/// gone.
struct Network {
  const char* card;
  std::uint32_t subnet;  ///< node i is number i + 1 in it
};
constexpr Network networks[] = {{"vnet0", 10u << 24 | 77u << 16}, {"launch0", 10u << 24 | 78u << 16}};
constexpr int number_of_networks = 2;

struct NodeOptions {
  int mtu = 1500;
  bool segments_offloaded = true;  ///< the network card cuts what TCP sends (TSO)
};

/// The namespaces of a node. The relay, and the first process of the testbed's process ids, hold each open under a
/// number that who comes later knows: namespace_file(node, kind).
enum class Namespace { net, uts, ipc, mnt };
constexpr int namespaces = 4;
constexpr int namespace_file(int node, int kind) { return 200 + namespaces * node + kind; }

/// Makes node number `index` and leaves the caller in its namespaces. Returns the other ends of its network cards
/// (TUN). The node has its own network, host name, System V memory, /dev/shm, /sys and /etc/hosts (with all `nodes`);
/// all of it is gone when nobody holds the namespaces open any more, and nothing of it is seen outside.
std::array<int, number_of_networks> make_node(int index, int nodes, const NodeOptions& options);

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
