// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "weft/exchange/requests.hpp"
#include "weft/names.hpp"

namespace weft {

/// Which parts are aggregated into one message.
enum class Grouping : std::uint8_t {
  per_peer,  ///< all parts of all clients for one peer and round, up to the packed limit
  per_part,  ///< one message per part
  /// As per_peer, but up to `by_size_bytes`, a limit that is chosen for early sends rather than for few messages: parts
  /// of neighbouring keys, which become ready together, are sent with the last of them. A compromise between the other
  /// two: number the parts in the order in which they become ready, and small blocks don't cause many small messages.
  by_size,
};

/// The names of groupings.
inline constexpr Names<Grouping> grouping_names("grouping", {{Grouping::per_peer, "per_peer"},
                                                             {Grouping::per_part, "per_part"},
                                                             {Grouping::by_size, "by_size"}});
/// The name as in the enumeration.
const char* name_of(Grouping grouping);

/// One message, and its parts in the order in which they are packed.
struct MessagePlan {
  bool send = true;       ///< or a receive
  int peer = 0;           ///< the rank at the other end
  int round = 0;          ///< in which it is sent
  int tag = 0;            ///< of its first piece; the other pieces have the next tags
  std::size_t bytes = 0;  ///< of all its parts, at most
  int pieces = 1;         ///< number of pieces, of equal size but the last
  bool is_up_to = false;  ///< some of its parts are of up to n bytes: their sizes are at the front of the message
  /// In the order in which they are packed.
  std::vector<Part> parts;

  /// The number of tags that it needs: a message with parts of up to n bytes needs one for its head and one for all
  /// pieces of the rest, which is cut only when its size is known.
  int tags() const { return is_up_to ? 2 : pieces; }
  /// Size of each piece but the last, which may be smaller.
  std::size_t piece_bytes() const {
    const auto n = static_cast<std::size_t>(pieces);
    return (bytes + n - 1) / n;
  }
};

/// The largest number of pieces of a message.
constexpr int most_pieces = 16;

/// The messages and collectives of an exchange on one rank. Both ends of every message compute the same.
///
/// The parts for one peer are ordered by round, client's name and key, so the order in which clients and parts were
/// registered does not matter. They fill messages in that order: a message is closed when the next part would exceed
/// the limit (`packed_limit_bytes`, or `by_size_bytes`); a larger part has a message of its own. Empty parts are
/// checked but not sent.
///
/// On a network a message over the MPI library's eager limit uses the rendezvous protocol, whose handshake costs two
/// more latencies. Such a message is cut into pieces of at most `piece_bytes` instead, unless there were more than 16:
/// then its own transfer takes longer than the handshake. Within one machine there is nothing to gain (`piece_bytes` is
/// 0: never).
struct Plan {
  std::vector<MessagePlan> messages;  ///< sends and receives of this rank
  std::vector<Part> collectives;      ///< in the order in which every rank starts them
  int rounds = 1;                     ///< the largest number of rounds of all clients
};

/// Makes a plan, without communication. The limits must be the same on all ranks; `packed_limit_bytes` is the
/// grouping's own. `apart`: parts of up to n bytes share no message with others, for carriers that can't combine them.
Plan make_plan(const std::deque<Requests>& clients, Grouping grouping, std::size_t packed_limit_bytes,
               std::size_t piece_bytes = 0, bool apart = false);
/// Numbers the pieces of all messages from one rank to another, again after the pieces of a message have changed. It
/// needs only as many tags as there are pieces, since some MPI libraries have few.
void assign_tags(Plan& plan);
/// One more than the largest tag of a plan.
int tags_of(const Plan& plan);

}  // namespace weft
