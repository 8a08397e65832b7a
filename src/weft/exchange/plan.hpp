// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "weft/exchange/requests.hpp"

namespace weft {

/// Which parts share one message.
enum class Grouping : std::uint8_t {
  per_peer,  ///< all parts of all clients for one peer and round, up to the packed limit
  per_part,  ///< each part is a message
};

/// One message: the parts that travel in it, in the order in which they are packed.
struct MessagePlan {
  bool send = true;
  int peer = 0;
  int round = 0;
  int tag = 0;
  std::size_t bytes = 0;
  std::vector<Part> parts;
};

/// What an exchange will do, the same seen from both ends of every message.
///
/// The parts for one peer are ordered by round, client's name and key, so the order in which clients and parts were
/// registered does not matter. They fill messages in that order: a message is closed when the next part would take it
/// over `packed_limit_bytes`; a larger part travels alone. Empty parts are checked but do not travel.
struct Plan {
  std::vector<MessagePlan> messages;
  std::vector<Part> collectives;  ///< in the order in which every rank starts them
  int rounds = 1;
};

/// Checks that both ends of every part agree, and the ranks on every collective; throws on every rank an Error that
/// names the client, the key, both ranks and both sizes. Collective.
void check_ends(Transport& transport, const std::deque<Requests>& clients);

/// Pure: no communication. `limit` must be the same on all ranks.
Plan make_plan(const std::deque<Requests>& clients, Grouping grouping, std::size_t packed_limit_bytes);

}  // namespace weft
