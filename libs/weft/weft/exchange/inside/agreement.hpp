// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "weft/exchange/options.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

/// What the ranks of an exchange have in common. Both ends of a message cut it alike, so the smallest limits of all
/// ranks hold.
struct Agreement {
  std::size_t packed_limit_bytes = 0;  ///< as in MessageOptions
  std::size_t by_size_bytes = 0;       ///< as in MessageOptions
  std::size_t piece_bytes = 0;         ///< as in MessageOptions
  int rounds = 1;                      ///< the most of any rank's client
  std::size_t turns = 1;               ///< places of each part that has several
  int tags = 0;                        ///< the most that any rank's plan needs
};

/// Checks that the ranks' options are the same and the transport can do what they ask for, that both ends of every part
/// agree, and the ranks on every collective; then runs `prepare`, which is this rank's own work and returns how many
/// tags it needs. What is wrong, or what `prepare` throws on some rank, is thrown on every rank: an Error that names
/// the client, the key, both ranks and both sizes.
///
/// Collective. Costs two reductions of a few numbers and one message to each peer that this rank sends to, whatever the
/// number of ranks; only ranks that do disagree about a collective tell each other everything. The message's tag is the
/// transport's last.
Agreement agree(Transport& transport, const std::deque<Requests>& clients, const ExchangeOptions& options,
                const std::function<int(const Agreement&)>& prepare);

}  // namespace weft::inside
