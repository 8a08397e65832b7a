// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "weft/exchange/requests.hpp"
#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Which parts are aggregated into one message.
enum class Grouping : std::uint8_t {
  per_peer,  ///< all parts of all clients for one peer and round, up to the packing limit
  per_part,  ///< one message per part
  /// As per_peer, but up to the smaller limit `by_size_bytes`, so that a message is sent earlier. Parts of neighbouring
  /// keys share a message: number the parts in the order in which they become ready.
  by_size,
  /// As per_peer, but what the ranks of a node send to the ranks of another in a round is one message: it is gathered
  /// in the memory that a node's ranks share, and distributed there. One rank of each node sends and receives it, so
  /// the others' parts depend on the progress of that rank. For many small messages between nodes; parts above the
  /// packing limit, and those of up to n bytes, are sent directly.
  per_node,
};

/// The names of groupings.
inline constexpr Names<Grouping> grouping_names("grouping", {{Grouping::per_peer, "per_peer"},
                                                             {Grouping::per_part, "per_part"},
                                                             {Grouping::by_size, "by_size"},
                                                             {Grouping::per_node, "per_node"}});
/// The name as in the enumeration.
const char* name_of(Grouping grouping);

/// One message, and its parts in the order in which they are packed.
struct MessagePlan {
  bool send = true;         ///< true: a send; false: a receive
  int peer = 0;             ///< the rank at the other end
  int round = 0;            ///< the round in which it is sent
  int tag = 0;              ///< tag of the first piece; the other pieces have the next tags
  std::size_t bytes = 0;    ///< size of all its parts, at most
  int pieces = 1;           ///< number of pieces; all but the last have the same size
  bool is_up_to = false;    ///< has parts of up to n bytes: their sizes are at the front of the message
  bool is_limited = false;  ///< may wait until other messages are complete (MessageOptions::most_requests)
  /// The parts in the order in which they are packed.
  std::vector<Part> parts;

  /// The number of tags that the message needs: one per piece. With parts of up to n bytes two: one for the front, and
  /// one for all pieces of the rest, which is cut only when its size is known.
  int tags() const { return is_up_to ? 2 : pieces; }
  /// Size of each piece; the last may be smaller.
  std::size_t piece_bytes() const {
    const auto n = static_cast<std::size_t>(pieces);
    return (bytes + n - 1) / n;
  }
};

/// The largest number of pieces of a message.
constexpr int most_pieces = 16;

/// The messages and collectives of an exchange on one rank. Both ends of a message compute the same plan for it.
///
/// The parts for one peer are sorted by round, client's name and key, so the order of registration does not matter.
/// They are put into messages in this order: a message is closed when the next part would exceed the limit
/// (`packed_limit_bytes`, or `by_size_bytes`); a larger part has a message of its own. Empty parts are checked but not
/// sent.
///
/// On a network, a message above the MPI library's eager limit uses the rendezvous protocol, whose handshake costs two
/// more latencies. weft cuts such a message into pieces of at most `piece_bytes` instead. It does not do so where there
/// would be more than 16 pieces, because then the transfer takes longer than the handshake, nor within one machine
/// (`piece_bytes` is 0), where nothing is gained.
struct Plan {
  std::vector<MessagePlan> messages;  ///< sends and receives of this rank, by direction and peer
  std::vector<Part> collectives;      ///< in the order in which every rank starts them
  int rounds = 1;                     ///< the largest number of rounds of all clients, in an exchange of all ranks
};

/// Makes a plan, without communication. `packed_limit_bytes` is the limit of this grouping (message_limit()). The
/// limits must be the same on all ranks. `apart`: parts of up to n bytes share no message with others, for carriers
/// that can't combine them.
Plan make_plan(const std::deque<Requests>& clients, Grouping grouping, std::size_t packed_limit_bytes,
               std::size_t piece_bytes = 0, bool apart = false);
/// Numbers the pieces sent from one rank to another, and so their tags, from 0, because some MPI libraries have few
/// tags. Call it again after the pieces of a message have changed.
void assign_tags(Plan& plan);
/// One more than the largest tag of a plan.
int tags_of(const Plan& plan);

}  // namespace weft
