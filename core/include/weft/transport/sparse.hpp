// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Bytes to or from some ranks, by rank.
using BytesByRank = std::map<int, std::vector<std::byte>>;

/// Sends out[r] to rank r and returns the received bytes, for ranks that don't know their senders. Time and memory grow
/// with the data sent and received, not with the number of ranks. (The dynamic sparse data exchange NBX of Hoefler,
/// Siebert and Lumsdaine, PPoPP 2010: synchronous sends, a probe, and a non-blocking barrier, here an all-reduce, that
/// begins when all own sends have been received.)
///
/// Collective. Nothing else on this transport uses `tag`, nor did the call before: another rank may still be probing in
/// it. A transport without Ability::probe or Ability::synchronous exchanges with all ranks instead.
///
/// `number`, if given, becomes the largest of all ranks' numbers, at no further cost.
BytesByRank sparse_all_to_all(Transport& transport, BytesByRank out, int tag, int* number = nullptr);

namespace detail {
/// Implements it by messages, also on a simulated machine whose set-up takes no time.
BytesByRank sparse_by_messages(Transport& transport, BytesByRank out, int tag, int* number);
}  // namespace detail

}  // namespace weft
