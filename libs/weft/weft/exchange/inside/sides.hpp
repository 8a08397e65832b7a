// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/exchange/inside/fifo.hpp"
#include "weft/exchange/inside/messages.hpp"
#include "weft/progress/driving.hpp"
#include "weft/progress/progress.hpp"

namespace weft::inside {

/// What leaves this rank. Who holds its flag tests it, and with queues starts it; the sides don't exclude each other.
class Outgoing {
 public:
  explicit Outgoing(const Messages& messages);

  /// What is ready leaves: at once, or through the queue, by whoever drives. `is_last`: its message waits for no other.
  void hand_over(const Carried& carried, bool is_last, Run& run);
  /// Takes what is queued, and tests what is in flight.
  Driven::Result drive(Run& run) noexcept;
  /// Nothing that is still queued leaves.
  void forget();
  /// Of whoever drives it.
  const Driving& driving() const { return driving_; }
  void recover() { driving_.recover(); }

 private:
  struct Departure {
    Carried carried;
    bool is_last = false;
  };
  static void depart(const Departure& departure, Run& run);

  std::vector<Message*> messages_;
  Driving driving_;
  bool queues_;
  Fifo<Departure> departures_;
};

/// What arrives at this rank, collectives and neighbourhoods among it.
class Incoming {
 public:
  explicit Incoming(const Messages& messages);

  /// For a new start.
  void prepare();
  /// A held part may be put in place. From the computing thread.
  void accept(Part part) { accepted_.push(part); }
  /// Tests what is in flight and puts in place what has come.
  Driven::Result drive(Run& run) noexcept;
  /// Whether the held part is accepted and not in place yet: it is put there now. For who drives.
  bool take_accepted(Part part);
  /// Nothing that is still queued is put in place.
  void forget();
  /// Of whoever drives it.
  const Driving& driving() const { return driving_; }
  void recover() { driving_.recover(); }

 private:
  enum class Held : char { waiting, accepted, unpacked };
  bool look_at_accepted(Run& run);

  const Messages& all_;
  std::vector<Message*> messages_;
  Driving driving_;
  bool holds_;
  Fifo<Part> accepted_;
  ByPart<Held> held_;
};

}  // namespace weft::inside
