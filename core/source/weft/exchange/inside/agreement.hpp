// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "weft/exchange/options.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

/// The values on which the ranks of an exchange agree. Both ends of a message must cut it alike, so the smallest limits
/// of all ranks are used.
struct Agreement {
  std::size_t packed_limit_bytes = 0;  ///< as in MessageOptions
  std::size_t by_size_bytes = 0;       ///< as in MessageOptions
  std::size_t piece_bytes = 0;         ///< as in MessageOptions
  std::size_t buffer_count = 1;        ///< number of buffers of each part that has several
  int rounds = 1;                      ///< the largest number of rounds of any rank
  int tags = 0;                        ///< the largest number of any rank's plan
};

/// Checks that the ranks' options are the same and the transport supports them, that both ends of every part agree, and
/// the ranks on every collective; then runs `prepare`, which is local work and returns the number of tags that it
/// needs. Every error, also of `prepare` on some rank, is thrown on every rank: an Error that names the client, the
/// key, both ranks and both sizes.
///
/// Collective. Costs two reductions of a few numbers and one message per peer that this rank sends to, whatever the
/// number of ranks; only ranks that disagree about a collective exchange full lists. The message's tag is the
/// transport's last.
Agreement agree(Transport& transport, const std::deque<Requests>& clients, const ExchangeOptions& options,
                const std::function<int(const Agreement&)>& prepare);

}  // namespace weft::inside
