// SPDX-License-Identifier: BSD-3-Clause
#include "weft/step/step_profile.hpp"

#include <algorithm>
#include <set>

namespace weft {

Traffic& Traffic::operator+=(const Traffic& other) {
  points += other.points;
  rounds += other.rounds;
  peers += other.peers;
  messages += other.messages;
  bytes += other.bytes;
  collectives += other.collectives;
  return *this;
}

Traffic Traffic::operator*(double factor) const {
  return {points * factor, rounds * factor, peers * factor, messages * factor, bytes * factor, collectives * factor};
}

Traffic traffic_of(const Plan& plan, const std::deque<Requests>& clients, int rank) {
  Traffic t;
  t.points = 1;
  for (const auto& client : clients) t.points = std::max(t.points, static_cast<double>(client.rounds()));
  std::set<int> peers;
  int rounds = 0;
  for (const auto& message : plan.messages) {
    if (message.peer == rank) continue;
    rounds = std::max(rounds, message.round + 1);  // receives too: a wait includes them
    if (!message.send) continue;
    peers.insert(message.peer);
    t.messages += message.pieces;
    t.bytes += static_cast<double>(message.bytes);
  }
  t.rounds = rounds;
  t.peers = static_cast<double>(peers.size());
  t.collectives = static_cast<double>(plan.collectives.size());
  return t;
}

}  // namespace weft
