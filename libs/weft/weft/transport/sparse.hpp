// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft {

/// Bytes for some ranks, or of some ranks.
using BytesByRank = std::map<int, std::vector<std::byte>>;

/// Sends out[r] to rank r and returns what came, by rank: for ranks that don't know from whom something will come, in
/// time and memory of what they send and receive, not of the number of ranks. (The dynamic sparse data exchange NBX of
/// Hoefler, Siebert and Lumsdaine, PPoPP 2010: synchronous sends, a probe, and a non-blocking barrier that begins when
/// all that one sent has been received.)
///
/// Collective. `tag` is used by nothing else on this transport, nor by the call before: one that has returned here may
/// still probe elsewhere. A transport without Ability::probe or Ability::synchronous talks to all ranks instead.
BytesByRank sparse_all_to_all(Transport& transport, const BytesByRank& out, int tag);

namespace detail {
/// The same by messages, also where a simulated machine's set-up takes no time.
BytesByRank sparse_by_messages(Transport& transport, const BytesByRank& out, int tag);
}  // namespace detail

}  // namespace weft
