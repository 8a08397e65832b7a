// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft/exchange/inside/messages.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

/// The cancellation protocol: how ranks end a start that one of them has cancelled (the contract is at
/// StartedExchange).
///
/// A rank that cancels sends each rank with which it shares the exchange the list of its messages that were sent. When
/// both lists of a pair are known, the messages that were sent are received and the other receives are cancelled, so
/// that no request is left. Then each rank reports that it is done; when all have reported, the next start may begin,
/// since none of its messages can match a receive of this one. Ranks may have cancelled different starts, because a
/// rank that needs no data of another may be ahead of it: a rank that is behind ends its own start, of which the others
/// have sent everything, and cancels the next one too.
class Cancellation {
 public:
  /// `tag`, for the lists, is this exchange's own.
  Cancellation(const Layout& layout, Messages& messages, Transport& transport, int tag);

  /// This rank cancels this start, whose buffer index was `buffer_index`: it sends its lists. No other thread makes
  /// progress.
  void begin(std::uint64_t start, std::size_t buffer_index);
  /// The last start that this rank has cancelled.
  std::uint64_t start() const { return start_; }
  /// Makes progress without waiting; true once all ranks have cancelled. Throws an Error if the transport fails.
  bool advance();
  /// Throws a PeerError if another rank has cancelled this start, or an earlier one.
  void look(std::uint64_t start);
  /// The ranks that have not reported that they are done.
  std::string missing() const;
  /// The cancellation can't be completed: requests that the library does not return are leaked.
  void give_up() noexcept;

 private:
  using Words = std::vector<std::uint64_t>;
  struct Sent {
    Words words;  // must outlive the operation
    std::unique_ptr<Operation> operation;
  };
  struct Peer {
    std::deque<Words> inbox;  // of this start, then perhaps of the next that it cancels
    Words told;               // the messages that it has sent; empty: not known yet
    bool is_ahead = false;    // it has ended this start and cancelled a later one: it has sent all of this one
    bool is_done = false;

    bool is_known() const { return is_ahead || !told.empty(); }
  };

  void send(int rank, Words words);
  void receive();
  Words words_for(int rank) const;
  void take_words();
  bool finish(Message& message, std::size_t number);
  bool all_are_known() const;
  void find_what_ends();
  void follow();
  std::uint64_t started_collectives() const;

  const Layout& layout_;
  Messages& messages_;
  Transport& transport_;
  int tag_;
  std::map<int, Peer> peers_;
  std::deque<Sent> sent_;
  std::uint64_t start_ = 0;
  std::size_t buffer_index_ = 0;
  std::vector<char> left_;                // by message: whether it was sent
  std::vector<std::size_t> place_;        // by message: its position among those of its peer and direction
  std::uint64_t collectives_to_end_ = 0;  // the number that some rank has started
  std::vector<char> rounds_to_end_;       // whether some rank has started the round's neighbourhood
  bool has_said_done_ = false;
};

}  // namespace weft::inside
