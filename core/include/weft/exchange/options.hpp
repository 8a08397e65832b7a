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

namespace [[gnu::visibility("default")]] weft {

/// The MPI mechanism that implements a message. Which carrier is the fastest depends on MPI library and network. Parts
/// of up to n bytes (Requests::send_up_to) are always packed; with `datatypes` and `partitioned` they share no message
/// with other parts.
enum class Carrier : std::uint8_t {
  messages,     ///< one send and one receive per message, persistent except for short sends
  synchronous,  ///< as `messages`, but a send completes only when its receive was matched (MPI_Ssend)
  datatypes,    ///< as `messages`, without packing: MPI gets a datatype of the parts' regions; not cut into pieces
  /// MPI-4's partitioned messages: up to 16 partitions of equal size, each sent when its last part is ready, and
  /// unpacked when it arrives. `piece_bytes` does not apply.
  partitioned,
};

/// The names of carriers.
inline constexpr Names<Carrier> carrier_names("carrier", {{Carrier::messages, "messages"},
                                                          {Carrier::synchronous, "synchronous"},
                                                          {Carrier::datatypes, "datatypes"},
                                                          {Carrier::partitioned, "partitioned"}});
/// The name as in the enumeration.
const char* name_of(Carrier carrier);
/// The carriers that a transport supports, `messages` first: for tests and benchmarks.
std::vector<Carrier> carriers_of(const Transport& transport);

/// How the messages of an exchange (ExchangeOptions) or of a StepManager (StepOptions) are sent. Results never depend
/// on these options. Grouping, carrier and shared_memory must be the same on all ranks. If a size differs between
/// ranks, the smallest is used.
struct MessageOptions {
  Grouping grouping = Grouping::per_peer;  ///< which parts share a message
  /// The packing limit: parts are packed into one message up to this size. 0: the transport's eager limit, because the
  /// rendezvous protocol of larger messages costs more than packing saves.
  std::size_t packed_limit_bytes = 0;
  /// The packing limit for Grouping::by_size. 0: `packed_limit_bytes`, at most 16 KiB.
  std::size_t by_size_bytes = 0;
  /// A larger message is cut into pieces of at most this size, unless that takes more than 16 pieces (parts of up to n
  /// bytes: any number). None: as the transport recommends; 0: never cut.
  std::optional<std::size_t> piece_bytes{};
  /// The largest number of MPI requests that this rank has active at a time in each direction, since libraries become
  /// slow, or fail, with many thousands. If the exchange has more, messages wait for their turn, and the progress calls
  /// or threads start them. At least one message is active. 0: no limit. May differ between ranks.
  std::size_t most_requests = 0;
  /// A wait that lasts longer than this prints the missing parts and their ranks, and continues. 0: never.
  double watchdog_seconds = 0;
  /// The carrier of messages between nodes (without `shared_memory`: of all messages).
  Carrier carrier = Carrier::messages;
  /// Ranks of one node exchange messages through shared memory, without MPI: the sender packs, the receiver unpacks. A
  /// send then completes when its receiver has unpacked it. Messages between nodes use the carrier.
  bool shared_memory = false;
  /// Parts in memory of a device: MPI gets addresses of the device, for libraries that can use them (weft doctor
  /// --device); messages whose parts are not all on one device still go through memory of the host. False: all do.
  bool direct_from_device = false;
  /// Deferred unpacking: a received message stays in a buffer; each of its parts is unpacked after the program has
  /// accepted the part (StartedExchange::accept, Step::accept). Works with every carrier: no message is then received
  /// directly into a part's memory. Collectives are not deferred. The option may differ between ranks.
  bool defer_unpacking = false;

  /// Whether all options are equal.
  bool operator==(const MessageOptions&) const = default;
};

/// Replaces each size that these options leave to the transport by the transport's value.
MessageOptions resolved(MessageOptions options, const Transport& transport);
/// The size up to which the grouping packs parts together; `options` must be resolved.
std::size_t message_limit(const MessageOptions& options);

/// Options of an exchange.
struct ExchangeOptions {
  MessageOptions messages{};  ///< how messages are sent
  /// Memory of the program that the ranks of a node share: from Transport::share() of a transport of the same ranks in
  /// the same order. With MessageOptions::shared_memory, the receiver copies data directly from this memory into the
  /// target. Set it on all ranks, or on none.
  std::shared_ptr<SharedMemory> memory{};
  /// Whether to compare buffer indices if parts have several buffers: each start sends its index to all peers, and the
  /// wait throws an Error if the index of a peer differs. The same on all ranks.
  bool compares_buffer_indices = true;
  /// Makes MPI progress between start and wait; any number of exchanges may share it. Null: polling in
  /// StartedExchange::progress(), with the defaults of ProgressOptions.
  std::shared_ptr<Progress> progress{};
  /// Records what the exchange does; borrowed, may be null.
  Timeline* timeline = nullptr;
};

/// Throws an Error, the same on every rank, if the transport lacks an ability that the options need.
void check_abilities(const Transport& transport, const MessageOptions& options);

}  // namespace weft
