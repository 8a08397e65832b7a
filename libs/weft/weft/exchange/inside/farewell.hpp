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

/// How ranks end a start that one of them has let go (the contract is at StartedExchange).
///
/// A rank that lets go writes to each rank that it shares the exchange with which messages had left. With both words of
/// a pair known, what had left is received and what had not is taken back, so that no request is left. Then each says
/// that it is done; with all of these known the next start may begin, since nothing of it can meet a receive of this
/// one. Ranks may have let go of different starts, for whoever needs nothing of another one may be ahead of it: one
/// that is behind ends its own, in which all of theirs has left, and lets go of the next.
class Farewell {
 public:
  /// The words travel under `tag`, which is the exchange's own.
  Farewell(const Layout& layout, Messages& messages, Transport& transport, int tag);

  /// This rank lets go of that start, in which its parts had that turn: it says what had left. Nobody else drives.
  void begin(std::uint64_t start, std::size_t turn);
  /// The start that this rank has let go of, at last.
  std::uint64_t start() const { return start_; }
  /// Goes on without waiting; true once all is settled. Throws an Error if the transport fails.
  bool advance();
  /// Throws a PeerError if another rank has let go of that start, or of an earlier one.
  void look(std::uint64_t start);
  /// The ranks that have not said that they are done.
  std::string missing() const;
  /// It can't be settled: what the library does not give back stays for as long as the process lives.
  void give_up() noexcept;

 private:
  using Words = std::vector<std::uint64_t>;
  struct Sent {
    Words words;  // outlives the operation
    std::unique_ptr<Operation> operation;
  };
  struct Peer {
    std::deque<Words> inbox;  // of this start, then perhaps of the next that it lets go
    Words told;               // what had left; empty: not known yet
    bool is_ahead = false;    // it has ended this start and let go of a later one: all has left
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
  std::size_t turn_ = 0;
  std::vector<char> left_;                // by message
  std::vector<std::size_t> place_;        // by message: its place among those of its peer and direction
  std::uint64_t collectives_to_end_ = 0;  // so many have been started by some rank
  std::vector<char> rounds_to_end_;       // whether some rank has started the round's neighbourhood
  bool has_said_done_ = false;
};

}  // namespace weft::inside
