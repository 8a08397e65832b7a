// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::advise {

/// Transfer times of messages while both ends are inside MPI, measured by a few ping-pongs at the program's start.
struct Path {
  static constexpr std::size_t sizes = 5;
  static constexpr std::array<double, sizes> bytes = {8, 4096, 32768, 262144, 2097152};
  std::array<double, sizes> seconds{};  ///< one way
  double message_seconds = 0;           ///< cost of one more small message, for the sender and for the receiver
  double eager_bytes = 0;               ///< larger messages use the rendezvous protocol

  /// Linear interpolation between the sizes, extrapolation by the last two.
  double time_of(double size) const;
};

struct NetworkModel {
  Path near, far;                  ///< within a node, between nodes
  std::vector<int> node;           ///< node of each rank of MPI_COMM_WORLD
  double wait_seconds = 0;         ///< duration of a wait for a complete request
  double copy_seconds_a_byte = 0;  ///< in the cache
  double clock_offset = 0;         ///< rank 0's clock minus this one's
  int self = 0;

  const Path& path_to(int peer) const {
    const bool same = peer < 0 || node[static_cast<std::size_t>(peer)] == node[static_cast<std::size_t>(self)];
    return same ? near : far;
  }
};

}  // namespace weft::advise
