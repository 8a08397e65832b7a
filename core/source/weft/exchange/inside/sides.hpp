// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/exchange/inside/fifo.hpp"
#include "weft/exchange/inside/messages.hpp"
#include "weft/progress/driving.hpp"
#include "weft/progress/progress.hpp"

namespace weft::inside {

/// Ends a pass over the messages of a side after a number of tests that failed: on a full machine each may take a time
/// slice. Half of them are spent on the first messages, the others behind where the last pass ended.
class Pass {
 public:
  /// For messages whose number is limited, only their tests count: the first of them is tested in each pass.
  void count_all(bool all) { counts_all_ = all; }
  bool counts_all() const { return counts_all_; }
  /// Begins a pass.
  void begin() { failed_ = 0; }
  /// The test of message i has failed: sets i to the message before the next one. False: the pass is over.
  bool go_on(const Message& message, std::size_t& i) {
    if (!counts_all_ && message.requests == 0) return true;
    if (++failed_ == most_failed / 2 && resume_ > i + 1) i = resume_ - 1;
    if (failed_ < most_failed) return true;
    resume_ = i + 1;
    return false;
  }
  /// The pass has come to the last message.
  void end() { resume_ = 0; }

 private:
  static constexpr std::size_t most_failed = 32;
  std::size_t failed_ = 0, resume_ = 0;
  bool counts_all_ = true;
};

/// The sends of this rank. The thread that holds the try-lock tests them, and with queues starts them; the two sides
/// don't exclude each other.
class Outgoing {
 public:
  explicit Outgoing(const Messages& messages);

  /// Prepares a new start. From the computing thread.
  void prepare();
  /// Sends a ready part: at once, or through the queue. `is_last`: its message waits for no other part.
  void hand_over(const Carried& carried, bool is_last);
  /// Starts queued sends, and tests those in flight.
  Progressable::Result drive() noexcept;
  /// The try-lock of this side.
  Driving& driving() { return driving_; }
  const Driving& driving() const { return driving_; }

 private:
  struct Departure {
    Carried carried;
    bool is_last = false;
  };
  void depart(const Departure& departure);
  bool admit(Message& message, bool is_first);

  std::vector<Message*> messages_;
  Driving driving_;
  const Start& start_;
  Fifo<Departure> departures_;
  std::size_t begin_ = 0;   // the first message that is not known to be done
  std::size_t active_ = 0;  // requests, if their number is limited
  Pass pass_;
};

/// The receives of this rank, with collectives.
class Incoming {
 public:
  explicit Incoming(const Messages& messages);

  /// Permits unpacking of a part. From the computing thread.
  void accept(Part part) { accepted_.push(part); }
  /// Prepares a new start. From the computing thread.
  void prepare();
  /// Tests the receives in flight and unpacks those that have arrived.
  Progressable::Result drive() noexcept;
  /// Whether some receives wait for their turn.
  bool is_limited() const { return !pass_.counts_all(); }
  /// The try-lock of this side.
  Driving& driving() { return driving_; }
  const Driving& driving() const { return driving_; }

 private:
  bool unpack_accepted();
  bool take_turns();

  const Messages& all_;
  std::vector<Message*> messages_;
  Driving driving_;
  bool defers_unpacking_;
  Fifo<Part> accepted_;
  std::vector<Carried> turns_;  // parts that are combined in this order
  std::size_t turn_ = 0;        // the next of them
  std::size_t begin_ = 0;       // the first message that is not known to be done
  std::size_t active_ = 0;      // requests, if their number is limited
  Pass pass_;
};

}  // namespace weft::inside
