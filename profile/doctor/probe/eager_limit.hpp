// SPDX-License-Identifier: BSD-3-Clause
// Measures the largest eager message.
#pragma once

#include <vector>

#include "doctor/probe/mpi.hpp"

namespace weft::doctor::probe {

// Sends one message while the receiver sleeps outside MPI. The message is eager if the sender's request completes
// before the receiver wakes.
inline bool left_early(const Pair& pair, std::vector<char>& data, std::size_t bytes) {
  constexpr double asleep = 6e-3, timeout = 3e-3;
  pair.agree(0);
  bool early = false;
  if (pair.rank == 0) {
    MPI_Request request = pair.send(data.data(), bytes, 2);
    early = mpi.done_within(request, timeout);
    if (!early) mpi.finish(request);
  } else {
    const timespec t{0, static_cast<long>(1e9 * asleep)};
    nanosleep(&t, nullptr);
    MPI_Request request = pair.receive(data.data(), bytes, 2);
    mpi.finish(request);
  }
  return pair.agree(early);
}

/// The largest eager message in bytes, to 1 %; 0 if none was eager, `most` if all were.
inline std::size_t eager_limit(const Pair& pair, double seconds) {
  constexpr std::size_t most = std::size_t{4} << 20;
  std::vector<char> data(most);
  const double end = now() + seconds;
  // A sender that was not scheduled looks as if it had waited, so a message must fail three times in a row.
  const auto early = [&](std::size_t bytes) {
    return left_early(pair, data, bytes) || left_early(pair, data, bytes) || left_early(pair, data, bytes);
  };
  std::size_t low = 0, high = 64;
  while (high <= most && pair.agree(now() < end) && early(high)) {
    low = high;
    high *= 2;
  }
  if (high > most) return most;
  while (high - low > std::max<std::size_t>(8, low / 100) && pair.agree(now() < end)) {
    const std::size_t middle = low + (high - low) / 2;
    (early(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace weft::doctor::probe
