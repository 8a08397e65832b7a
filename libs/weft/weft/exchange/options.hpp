// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "weft/exchange/plan.hpp"
#include "weft/names.hpp"
#include "weft/progress/progress.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// What a message travels as. The result is always the same; which one is the fastest depends on library and network.
/// Parts of up to n bytes (Requests::send_up_to) always travel in packed messages, beside those of the last three.
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

/// The names of carriers.
inline constexpr Names<Carrier> carrier_names("carrier", {{Carrier::messages, "messages"},
                                                          {Carrier::synchronous, "synchronous"},
                                                          {Carrier::datatypes, "datatypes"},
                                                          {Carrier::neighbourhood, "neighbourhood"},
                                                          {Carrier::partitioned, "partitioned"}});
/// The name as in the enumeration, as a setting spells it.
const char* name_of(Carrier carrier);
/// All that a transport can do, `messages` first: for tests and benchmarks that try each.
std::vector<Carrier> carriers_of(const Transport& transport);

/// How messages travel: one exchange's (ExchangeOptions), or those of a StepManager (StepOptions). The result is the
/// same whatever they are. Grouping, carrier and shared_memory are the same on all ranks; of the sizes, the smallest of
/// all ranks holds.
struct MessageOptions {
  Grouping grouping = Grouping::per_peer;  ///< which parts share a message
  /// Parts are packed together up to this size; 0: the transport's eager limit, since a packed message that has to
  /// wait for its receiver loses more than the packing saves.
  std::size_t packed_limit_bytes = 0;
  /// The same for Grouping::by_size, which has no other limit; 0: the packed limit, at most 16 KiB.
  std::size_t by_size_bytes = 0;
  /// A larger message travels in up to 16 pieces of this size (with parts of up to n bytes: in any number), if it is
  /// packed. None: as the transport says; 0: never.
  std::optional<std::size_t> piece_bytes{};
  /// A wait that lasts longer prints what is missing from whom, and keeps waiting. 0: never.
  double watchdog_seconds = 0;
  /// How messages between nodes (without `shared_memory`: all) travel.
  Carrier carrier = Carrier::messages;
  /// Ranks of one node pass messages in memory that they share, without MPI: the sender packs, the receiver unpacks. A
  /// send then completes when its receiver has unpacked it. Other ranks use the carrier.
  bool shared_memory = false;
  /// What is received waits in a buffer until StartedExchange::accept (Step::accept) says that its part may be put in
  /// place. Each carrier can, by landing in a buffer what it would otherwise put where it belongs. Collectives are not
  /// held. A rank's own choice.
  bool held = false;

  /// Whether they ask for the same.
  bool operator==(const MessageOptions&) const = default;
};

/// The same with a number in place of each size that they leave to the transport.
MessageOptions resolved(MessageOptions options, const Transport& transport);
/// The size up to which their grouping packs parts together, of options that are resolved.
std::size_t message_limit(const MessageOptions& options);

/// How an exchange moves what is in it. The result is the same whatever they are.
struct ExchangeOptions {
  MessageOptions messages{};  ///< how they travel
  /// Memory of the program that the ranks of a node share (Transport::share): with MessageOptions::shared_memory, what
  /// is sent from there is copied once, by its receiver, to where it belongs. On all ranks, or on none.
  std::shared_ptr<SharedMemory> memory{};
  /// Each start compares its turn with rank 0's: a blocking broadcast and reduction. For tests of a program.
  bool compares_turns = false;
  /// How messages make progress between start and wait; null: by polling in StartedExchange::progress(), with the
  /// defaults of ProgressOptions. Shared by any number of exchanges.
  std::shared_ptr<Progress> progress{};
  /// Where it writes down what it did; borrowed, may be null.
  Timeline* timeline = nullptr;
};

/// Throws an Error, the same on every rank, if the transport has not what they ask for.
void check_abilities(const Transport& transport, const MessageOptions& options);

}  // namespace weft
