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

/// Which parts share one message.
enum class Grouping : std::uint8_t {
  per_peer,  ///< all parts of all clients for one peer and round, up to the packed limit
  per_part,  ///< each part is a message
  /// As per_peer, but up to `by_size_bytes`, which is chosen so that messages leave early rather than that they are
  /// few: parts of neighbouring keys, which become ready together, leave together with the last of them. The bridge
  /// between the other two: number parts in the order in which they become ready, and small blocks don't drown in
  /// messages.
  by_size,
};

/// The names of groupings.
inline constexpr Names<Grouping> grouping_names("grouping", {{Grouping::per_peer, "per_peer"},
                                                             {Grouping::per_part, "per_part"},
                                                             {Grouping::by_size, "by_size"}});
/// The grouping of a name; an InputError that lists the names otherwise.
Grouping grouping_of(const std::string& name);
/// The name as in the enumeration.
const char* name_of(Grouping grouping);

/// One message: the parts that travel in it, in the order in which they are packed.
struct MessagePlan {
  bool send = true;       ///< or a receive
  int peer = 0;           ///< the rank at the other end
  int round = 0;          ///< in which it travels
  int tag = 0;            ///< of its first piece; the others' follow
  std::size_t bytes = 0;  ///< of all its parts, at most
  int pieces = 1;         ///< that it is cut into on its way, of equal size but the last
  bool is_up_to = false;  ///< some of its parts are of up to n bytes: their sizes travel in front
  /// In the order in which they are packed.
  std::vector<Part> parts;

  /// How many tags it needs: a message with parts of up to n bytes one for its head and one for all pieces of the rest,
  /// which is cut only when its size is known.
  int tags() const { return is_up_to ? 2 : pieces; }
  /// Size of each piece but the last, which may be smaller.
  std::size_t piece_bytes() const {
    const auto n = static_cast<std::size_t>(pieces);
    return (bytes + n - 1) / n;
  }
};

/// A message is cut into so many pieces at most.
constexpr int most_pieces = 16;

/// What an exchange will do, the same seen from both ends of every message.
///
/// The parts for one peer are ordered by round, client's name and key, so the order in which clients and parts were
/// registered does not matter. They fill messages in that order: a message is closed when the next part would take it
/// over the limit (`packed_limit_bytes`, or `by_size_bytes`); a larger part travels alone. Empty parts are checked but
/// do not travel.
///
/// On a network a message over the library's eager limit asks its receiver first, which costs two more latencies. Such
/// a message travels in pieces of at most `piece_bytes` instead, unless it were more than 16: then its own transfer
/// takes longer than the question. Within one machine there is nothing to gain (`piece_bytes` is 0: never).
struct Plan {
  std::vector<MessagePlan> messages;  ///< sends and receives of this rank
  std::vector<Part> collectives;      ///< in the order in which every rank starts them
  int rounds = 1;                     ///< of all clients, the most
};

/// Pure: no communication. The limits must be the same on all ranks; `packed_limit_bytes` is the grouping's own.
/// `apart`: parts of up to n bytes share no message with others, for carriers that can't have them.
Plan make_plan(const std::deque<Requests>& clients, Grouping grouping, std::size_t packed_limit_bytes,
               std::size_t piece_bytes = 0, bool apart = false);
/// Numbers the pieces of what goes from one rank to another, again after a message's pieces have changed: as few tags
/// as there are pieces, for some libraries have few.
void assign_tags(Plan& plan);
/// One more than the largest tag of a plan.
int tags_of(const Plan& plan);

}  // namespace weft
