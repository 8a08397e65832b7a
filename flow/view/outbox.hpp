// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "view/history.hpp"

namespace weft::view {

using Bytes = std::shared_ptr<const std::string>;

/// The newest message of each kind, for all watchers; each kind counts its changes.
struct Board {
  explicit Board(std::size_t most_rows) : rows(most_rows) {}

  enum Kind : std::size_t { hello, state, picture, kinds };
  std::array<Bytes, kinds> newest{};
  std::array<std::uint64_t, kinds> changes{};
  History rows;

  void put(Kind kind, std::string message);
};

/// The pending messages of one watcher. It stores no copies except a few sentences: the pending messages are on the
/// board, so a slow watcher costs nothing and gets the newest.
class Outbox {
 public:
  static constexpr std::size_t most_sentences = 8;  ///< beyond, the oldest is dropped
  static constexpr int most_unseen = 2;             ///< pictures that the watcher has not acknowledged

  struct Message {
    Bytes bytes;
    bool picture = false;
  };

  explicit Outbox(const Board& board) : board_(&board) {}

  void say(std::string message);
  /// The next message to write; none if the watcher is up to date. hello first, then sentences; the other kinds
  /// alternate, so that a kind that changes all the time does not block another.
  std::optional<Message> next();
  /// A picture was acknowledged: the next one may be sent. Otherwise pictures would queue in the network.
  void seen() { unseen_ = unseen_ > 0 ? unseen_ - 1 : 0; }
  /// Whether a new picture could be sent at once.
  bool wants_picture() const { return unseen_ < most_unseen && !behind(Board::picture); }

 private:
  bool behind(Board::Kind kind) const { return known_[kind] != board_->changes[kind]; }
  Bytes take(Board::Kind kind);

  const Board* board_;
  std::array<std::uint64_t, Board::kinds> known_{};
  std::uint64_t rows_known_ = 0;
  std::deque<Bytes> sentences_;
  int unseen_ = 0;
  unsigned turn_ = 0;
};

}  // namespace weft::view
