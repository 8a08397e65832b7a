// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "pack/ordered_map.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"

namespace weft::pack {

/// What rank 0 has a worker do.
struct Ticket {
  enum class Kind : std::uint8_t {
    work,  ///< transform the block
    give,  ///< send the first result that it holds
    last,  ///< nothing; no ticket comes after this one
  };
  Block block{};
  Kind kind = Kind::last;
};

/// What became of it.
struct Header {
  enum class Kind : std::uint8_t {
    result,
    held,  ///< the worker keeps the result until it is to give it
    failed,
    refused,  ///< with an error's text; refused: an InputError's
    none,     ///< the answer to the last ticket
  };
  Block block{};
  std::uint64_t bytes = 0;  ///< of the result or the text
  Kind kind = Kind::none;
};

/// What the lanes of a map carry beside tickets and results; the same on all ranks.
struct LaneOptions {
  bool with_data = false;    ///< rank 0 reads for all
  bool with_places = false;  ///< workers write their results themselves
};

/// A lane between rank 0 and a worker is an exchange that only these two have parts of. One start of it is one ticket's
/// life:
///
///     round 0   rank 0 -> worker   the ticket, and the block's data if rank 0 reads for all
///     round 1   worker -> rank 0   what became of it, with the result or an error's text
///     round 2   rank 0 -> worker   where the result goes, if workers write
///
/// A worker has several lanes. Both ends start them in turn, so they agree on which is next without a word.
struct Lane {
  Lane(MessageSpace& space, const ExchangeOptions& options) : exchange(space, options) {}

  Exchange exchange;
  StartedExchange started{};
  // What the parts of a fixed size send and receive.
  Ticket ticket{};
  Header header{};
  std::uint64_t place = Codec::unknown;

  /// Whether the worker's last ticket has come to its end here.
  bool has_ended() const { return exchange.starts() > 0 && started.is_over() && ticket.kind == Ticket::Kind::last; }
};

/// Rank 0's end. Nothing of it waits; the caller orders the calls.
class RootLane {
 public:
  /// Collective.
  RootLane(MessageSpace& space, int worker, const LaneOptions& options);

  /// Where the data of the next ticket are put.
  Bytes& data() { return data_; }
  /// Starts it.
  void deal(const Ticket& ticket);
  /// Lets its messages move. Throws a PeerError if the worker has let go.
  void drive();
  /// Whether header() is there. The worker then has one ticket less to work on.
  bool is_answered() const { return lane_.started.arrived(header_); }
  const Header& header() const { return lane_.header; }
  /// Whether what goes with the header has come, too.
  bool has_result() const { return lane_.started.arrived(result_); }
  /// Moves it out.
  Bytes take_result() { return lane_.exchange.take_received(result_); }
  /// Tells the worker, if it writes. Once in each start.
  void send_place(std::uint64_t at);
  /// Whether the ticket's life has ended; the lane can be started again then.
  bool is_over();
  Lane& lane() { return lane_; }

 private:
  Bytes data_;  // outlives what sends it
  Lane lane_;
  const LaneOptions options_;
  SendPart ticket_, data_part_, place_;
  ReceivePart header_, result_;
};

/// A worker's end. Belongs to the computing thread; the map's progress drives its messages.
class WorkerLane {
 public:
  /// Timeline: see MapOptions. Collective.
  WorkerLane(MessageSpace& space, const LaneOptions& options, Progress* progress, Timeline* timeline);

  /// A ticket, and its data, may come from now on.
  void start() { lane_.started = lane_.exchange.start(); }
  /// Waits for the ticket and its data.
  Ticket take(Bytes& data);
  /// Answers the ticket. `result` must not change until what is returned was waited for; then place() is there.
  StartedExchange answer(const Header& header, View result);
  /// Where the result goes, if workers write; Codec::unknown: nowhere.
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
  /// So many for each worker. Collective: an error is thrown on all ranks. Costs a commit a lane.
  Lanes(Transport& transport, std::size_t count, const LaneOptions& options, Progress* progress, Timeline* timeline);
  /// For a rank that fails: the ranks at the other ends don't wait for it any more.
  void let_go() noexcept;

  std::deque<std::deque<RootLane>> of_workers;  ///< on rank 0, of rank 1 and on
  std::deque<WorkerLane> mine;                  ///< on a worker
};

}  // namespace weft::pack
