// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "pack/ordered_map.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"

namespace weft::pack {

/// A task for a worker from rank 0.
struct Ticket {
  enum class Kind : std::uint8_t {
    work,  ///< transform the block
    give,  ///< send the first result that it keeps
    last,  ///< nothing; the last ticket
  };
  Block block{};
  Kind kind = Kind::last;
};

/// The answer to a ticket.
struct Header {
  enum class Kind : std::uint8_t {
    result,
    kept,  ///< the worker keeps the result until it is requested
    failed,
    refused,  ///< with the text of an error; refused: of an InputError
    none,     ///< the answer to the last ticket
  };
  Block block{};
  std::uint64_t bytes = 0;  ///< of the result or the text
  Kind kind = Kind::none;
};

/// Additional data of the lanes of a map; the same on all ranks.
struct LaneOptions {
  bool with_data = false;    ///< rank 0 reads for all
  bool with_places = false;  ///< workers write their results themselves
};

/// A lane between rank 0 and a worker is an exchange in which only these two have parts. One start of it serves one
/// ticket:
///
///     round 0   rank 0 -> worker   the ticket, and the block's data if rank 0 reads for all
///     round 1   worker -> rank 0   the outcome, with the result or an error's text
///     round 2   rank 0 -> worker   the position of the result, if workers write
///
/// A worker has several lanes. Both ends start them in the same order, so they agree on the next one without
/// communication.
struct Lane {
  Lane(MessageSpace& space, const ExchangeOptions& options) : exchange(space, options) {}

  Exchange exchange;
  StartedExchange started{};
  // The data of the parts of fixed size.
  Ticket ticket{};
  Header header{};
  std::uint64_t place = Codec::unknown;

  /// Whether the worker's last ticket has been completed here.
  bool has_ended() const { return exchange.starts() > 0 && started.is_over() && ticket.kind == Ticket::Kind::last; }
};

/// Rank 0's end. No member waits; the caller orders the calls.
class RootLane {
 public:
  /// Collective.
  RootLane(MessageSpace& space, int worker, const LaneOptions& options);

  /// The buffer for the data of the next ticket.
  Bytes& data() { return data_; }
  /// Starts the lane with a ticket.
  void deal(const Ticket& ticket);
  /// Makes progress on its messages. Throws a PeerError if the worker has failed.
  void drive();
  /// Whether header() has arrived. The worker then has one ticket less to work on.
  bool is_answered() const { return lane_.started.arrived(header_); }
  const Header& header() const { return lane_.header; }
  /// Whether the result of the header has arrived, too.
  bool has_result() const { return lane_.started.arrived(result_); }
  /// Moves the result out.
  Bytes take_result() { return lane_.exchange.take_received(result_); }
  /// Sends the position to the worker, if it writes. Once per start.
  void send_place(std::uint64_t at);
  /// Whether the ticket is completed; the lane can then be started again.
  bool is_over();
  Lane& lane() { return lane_; }

 private:
  Bytes data_;  // outlives the message that sends it
  Lane lane_;
  const LaneOptions options_;
  SendPart ticket_, data_part_, place_;
  ReceivePart header_, result_;
};

/// A worker's end. Belongs to the computing thread; the map's progress advances its messages.
class WorkerLane {
 public:
  /// Timeline: see MapOptions. Collective.
  WorkerLane(MessageSpace& space, const LaneOptions& options, Progress* progress, Timeline* timeline);

  /// From now on a ticket and its data may arrive.
  void start() { lane_.started = lane_.exchange.start(); }
  /// Waits for the ticket and its data.
  Ticket take(Bytes& data);
  /// Answers the ticket. `result` must not change until the returned start is waited for; then place() is valid.
  StartedExchange answer(const Header& header, View result);
  /// The position of the result, if workers write; Codec::unknown: none.
  std::uint64_t place() const { return lane_.place; }
  Lane& lane() { return lane_; }

 private:
  Lane lane_;
  const LaneOptions options_;
  ReceivePart ticket_, data_, place_;
  SendPart header_, result_;
};

/// All lanes of a map.
struct Lanes {
  /// `count` lanes for each worker. Collective: an error is thrown on all ranks. Costs one commit per lane.
  Lanes(Transport& transport, std::size_t count, const LaneOptions& options, Progress* progress, Timeline* timeline);
  /// For a rank that fails: all lanes have failed, so that the ranks at the other ends don't wait for it.
  void fail(const std::exception_ptr& why) noexcept { failure->fail(why); }

  std::shared_ptr<Failure> failure;

  std::deque<std::deque<RootLane>> of_workers;  ///< on rank 0: of ranks 1, 2, ...
  std::deque<WorkerLane> mine;                  ///< on a worker
};

}  // namespace weft::pack
