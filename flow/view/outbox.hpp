// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft::view {

/// Points of curves, thinned out evenly to a maximum number (plus the newest).
///
/// Rows are numbered in order. When there are too many, every other one is deleted, and of later rows only every
/// second, fourth, ... is kept. The newest one is always kept. With at most 4: 0 1 2 3 | 0 2 4 | 0 2 4 5 | 0 2 4 6 | 0
/// 4 7 | 0 4 8 | ...
class History {
 public:
  explicit History(std::size_t most) : most_(most < 2 ? 2 : most) {}

  void add(std::string row);
  /// The number of the next row.
  std::uint64_t next() const { return next_; }
  std::size_t size() const { return rows_.size(); }
  /// "[row,row,...]" of all rows with a number of at least `first`.
  std::string since(std::uint64_t first) const;

 private:
  struct Row {
    std::uint64_t number;
    std::string values;
  };

  std::size_t most_;
  std::uint64_t next_ = 0, stride_ = 1;
  std::deque<Row> rows_;
};

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

/// Limits the messages per second, with a burst of the same number; a sender that continues is disconnected.
class RateLimit {
 public:
  enum class Verdict { take, refuse, drop, close };

  explicit RateLimit(double per_second) : per_second_(per_second), left_(per_second) {}

  /// Judges a message at this time, seconds from any start. The first message above the limit is refused, further ones
  /// are dropped.
  Verdict judge(double now_seconds) {
    left_ = std::min(per_second_, left_ + per_second_ * std::max(0.0, now_seconds - last_seconds_));
    last_seconds_ = now_seconds;
    if (left_ >= 1) {
      left_ -= 1;
      dropped_ = std::max(0.0, dropped_ - 0.5);  // decays while the sender keeps to the limit
      refused_ = refused_ && dropped_ > 0;
      return Verdict::take;
    }
    dropped_ += 1;
    if (dropped_ > 5 * per_second_) return Verdict::close;
    return std::exchange(refused_, true) ? Verdict::drop : Verdict::refuse;
  }

 private:
  double per_second_, left_, last_seconds_ = 0, dropped_ = 0;
  bool refused_ = false;
};

}  // namespace weft::view
