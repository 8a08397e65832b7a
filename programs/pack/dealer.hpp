// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "pack/lane.hpp"
#include "pack/ordered_map.hpp"
#include "weft/progress/progress.hpp"

namespace weft::pack {

/// Rank 0's part of an ordered map: assigns each rank a block to work on and one ahead, sorts the results, writes them
/// or sends their positions. There are never more than `limit` blocks between the first missing and the last assigned
/// one.
///
/// drive() does all that is possible without waiting. Thread-safe: a progress thread may call it while rank 0 computes.
class Dealer final : public Progressable {
 public:
  /// All three must outlive the dealer.
  Dealer(Lanes& lanes, const Work& work, const MapOptions& options);

  Result drive() noexcept override;
  /// A block for rank 0 itself, with its data if rank 0 reads for all; waits while too many are in flight.
  std::optional<Block> take(Bytes& data);
  /// Submits its result. With parallel writing, test and yield wait for the position that offset_of will return.
  void submit(const Header& header, View result);
  std::optional<std::uint64_t> offset_of(std::uint64_t index);
  /// Whether every block is written in order and every rank has got its last ticket.
  bool finished();
  /// The first error of any rank in any block; none: null.
  std::exception_ptr failure();

 private:
  // A worker's tickets are numbered in the order in which they are sent: those before `over` have ended, before
  // `delivered` their results have arrived, before `answered` their headers have, before `dealt` they were sent.
  struct Worker {
    std::deque<RootLane>* lanes;
    std::size_t dealt = 0, answered = 0, delivered = 0, over = 0;
    std::size_t kept = 0;  // results that it must still send
    bool has_last_ticket = false;

    RootLane& lane(std::size_t ticket) { return (*lanes)[ticket % lanes->size()]; }
  };
  struct Arrived {
    Header header;
    Bytes bytes;
    RootLane* lane;  // null: rank 0 itself
  };
  bool advance(Worker& worker);
  bool take_step(Worker& worker);
  bool deal(Worker& worker);
  std::optional<Ticket> ticket_for(Worker& worker, Bytes& data);
  bool may_deal() const { return failure_ || exhausted_ || dealt_ < in_order_ + limit_; }
  void arrived(const Header& header, Bytes bytes, RootLane* lane);
  void put_in_order();
  void put_in_order(const Header& header, View bytes, RootLane* lane);
  std::optional<Block> next(Bytes& data);
  void fail(std::exception_ptr failure);
  void check() const {
    if (broken_) std::rethrow_exception(broken_);
  }

  const Work& work_;
  const bool parallel_;
  const std::size_t limit_;
  std::mutex mutex_;  // guards the members below; drive() only tries to lock it
  std::vector<Worker> workers_;
  std::map<std::uint64_t, Arrived> waiting_;       // results that arrived before their turn
  std::map<std::uint64_t, std::uint64_t> places_;  // of rank 0's own blocks
  std::uint64_t dealt_ = 0, in_order_ = 0, written_bytes_ = 0;
  bool exhausted_ = false;
  std::exception_ptr failure_;
  std::exception_ptr broken_;  // the transport, or another rank, failed
};

}  // namespace weft::pack
