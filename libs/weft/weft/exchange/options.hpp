// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "weft/exchange/plan.hpp"
#include "weft/progress/progress.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// What a message travels as. The result is always the same; which one is the fastest depends on library and network.
enum class Carrier : std::uint8_t {
  messages,     ///< a persistent send and receive a message
  synchronous,  ///< the same, but a send completes only when it has met its receive (MPI_Ssend)
  datatypes,    ///< the same, but nothing is packed: MPI gets a datatype of the parts' regions. Never in pieces
  /// All messages of a round as one neighbourhood collective of such datatypes, which leaves with the last part of the
  /// round and arrives as a whole. Grouping, limits and pieces do not apply: all parts for a peer are one message.
  neighbourhood,
  /// MPI-4's partitioned messages: a packed message is up to 16 partitions of equal size, each of which leaves with the
  /// last part that lies in it and is unpacked when it arrives. Pieces do not apply.
  partitioned,
};

/// The name as in the enumeration, as a setting spells it.
const char* name_of(Carrier carrier);
/// All that a transport can do, `messages` first: for tests and benchmarks that try each.
std::vector<Carrier> carriers_of(const Transport& transport);

/// How an exchange moves what is in it. The result is the same whatever they are. Grouping, limits, carrier
/// and shared_memory are the same on all ranks.
struct ExchangeOptions {
  Grouping grouping = Grouping::per_peer;  ///< which parts share a message
  /// Parts are packed together up to this size; 0: the transport's eager limit, since a packed message that has to
  /// wait for its receiver loses more than the packing saves.
  std::size_t packed_limit_bytes = 0;
  /// The same for Grouping::by_size, which has no other limit; 0: the packed limit, at most 16 KiB.
  std::size_t by_size_bytes = 0;
  /// A larger message travels in up to 16 pieces of this size, if it is packed. None: as the transport says; 0: never.
  std::optional<std::size_t> piece_bytes{};
  /// A wait that lasts longer prints what is missing from whom, and keeps waiting. 0: never.
  double watchdog_seconds = 0;
  /// How messages between nodes (without `shared_memory`: all) travel.
  Carrier carrier = Carrier::messages;
  /// Ranks of one node pass messages in memory that they share, without MPI: the sender packs, the receiver unpacks. A
  /// send then completes when its receiver has unpacked it. Other ranks use the carrier.
  bool shared_memory = false;
  /// What is received waits in a buffer until StartedExchange::accept says that its part may be put in place. Each
  /// carrier can, by landing in a buffer what it would otherwise put where it belongs. Collectives are not held. A
  /// rank's own choice.
  bool held = false;
  /// Who drives the messages; null: nobody between start and wait (passive). Shared by any number of exchanges.
  std::shared_ptr<Progress> progress{};
  /// Where it writes down what it did; borrowed, may be null.
  Timeline* timeline = nullptr;
};

/// Throws an Error, the same on every rank, if the transport has not what they ask for.
void check_abilities(const Transport& transport, const ExchangeOptions& options);

}  // namespace weft
