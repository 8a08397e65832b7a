// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft {

/// Bytes to or from some ranks.
using BytesByRank = std::map<int, std::vector<std::byte>>;

/// Sends out[r] to rank r and returns the received bytes, by rank: for ranks that don't know their senders. Time and
/// memory grow with the data sent and received, not with the number of ranks. (The dynamic sparse data exchange NBX of
/// Hoefler, Siebert and Lumsdaine, PPoPP 2010: synchronous sends, a probe, and a non-blocking barrier that begins when
/// all own sends have been received.)
///
/// Collective. `tag` is used by nothing else on this transport, nor by the call before: a rank that has returned here
/// may still be probing in another rank's call. A transport without Ability::probe or Ability::synchronous exchanges
/// with all ranks instead.
BytesByRank sparse_all_to_all(Transport& transport, const BytesByRank& out, int tag);

namespace detail {
/// The same by messages, also on a simulated machine whose set-up takes no time.
BytesByRank sparse_by_messages(Transport& transport, const BytesByRank& out, int tag);
}  // namespace detail

}  // namespace weft
