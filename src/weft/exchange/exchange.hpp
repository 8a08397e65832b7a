// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/exchange/plan.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/progress/progress.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

struct ExchangeOptions {
  Grouping grouping = Grouping::per_peer;
  /// Parts are packed together up to this size; 0: the transport's eager limit, since a packed message that has to
  /// wait for its receiver loses more than the packing saves.
  std::size_t packed_limit_bytes = 0;
  /// A larger message travels in up to 16 pieces of this size. None: as the transport says; 0: never.
  std::optional<std::size_t> piece_bytes{};
  /// A wait that lasts longer prints what is missing from whom, and keeps waiting. 0: never.
  double watchdog_seconds = 0;
  /// Who drives the messages; null: nobody between start and wait (passive). Shared by any number of exchanges.
  std::shared_ptr<Progress> progress{};
  /// Where it writes down what it did; borrowed, may be null.
  Timeline* timeline = nullptr;
};

/// A set of parts and non-blocking collectives, committed once, started many times, with one synchronisation point.
///
///     Exchange exchange(world);
///     auto& heat = exchange.client("heat");
///     const Part out = heat.send(right, 1, contiguous(last_row));
///     heat.receive(left, 1, contiguous(ghost_row));
///     exchange.commit();                       // both ends compare their lists
///     for (...) {
///       exchange.start();                      // all receives are posted
///       exchange.ready(out);                   // a message leaves with the last of its parts
///       compute_interior();                    // exchange.progress() now and then
///       exchange.wait();                       // everything is in place
///     }
///
/// Parts may belong to rounds: wait(k) completes round k only, so that what is sent in round k + 1 may depend on it.
/// A message of one contiguous part is sent from (received to) where it lies; others are packed, and unpacked one by one
/// as they arrive. The result never depends on grouping or progress.
///
/// Construction, commit and destruction are collective. start, ready, progress and wait belong to one computing thread
/// (or several that are ordered by the caller) and take no lock.
class Exchange final : private Driven {
 public:
  explicit Exchange(Transport& transport, ExchangeOptions options = {});
  ~Exchange() override;

  /// A new client's list. Names are unique in the exchange, and the same on all ranks.
  Requests& client(const std::string& name);
  /// Takes over a copy of a list that was made elsewhere and returns its number here: its parts are {number, part.index}.
  std::uint32_t add(const Requests& requests);

  /// Throws on every rank an Error naming client, key, both ranks and both sizes if two ends don't agree.
  void commit();
  void start();
  /// The part's data may leave; a collective's input is complete.
  void ready(Part part);
  /// Marks every part of one client and round ready that is not yet. For those who don't care which leaves when.
  void ready_all(std::uint32_t client, int round);
  void progress() {
    if (active_ && options_.progress) options_.progress->poll(*this);
  }
  /// Completes round `round`; all its parts must be ready (an Error names one that is not, where plain MPI would hang).
  void wait(int round);
  /// Completes all rounds.
  void wait();

  const Plan& plan() const { return plan_; }
  const std::deque<Requests>& clients() const { return clients_; }
  std::size_t packed_limit_bytes() const { return options_.packed_limit_bytes; }
  std::uint64_t starts() const { return starts_; }
  /// For a person: neighbours, messages, parts, bytes.
  std::string describe() const;

 private:
  struct Message;
  struct Flight;
  Driven::Result drive() noexcept override;
  void build();
  void wake() {
    if (options_.progress) options_.progress->wake();
  }
  void leave(Message& message);
  void arrive(Message& message);
  void start_collectives();
  void finish_round(int round, double waited_from);
  void complain(int round, double seconds) const;
  [[noreturn]] void throw_unready(int round) const;
  const Request& request(Part part) const { return clients_[part.client].list()[part.index]; }
  std::string describe(Part part) const;

  std::unique_ptr<Transport> transport_;
  ExchangeOptions options_;
  std::deque<Requests> clients_;
  Plan plan_;
  bool committed_ = false, active_ = false;
  std::uint64_t starts_ = 0;

  std::vector<std::unique_ptr<Message>> messages_;   // sends, receives, then collectives in their order
  std::vector<std::vector<Message*>> message_of_;    // per client and request; null: an empty part
  std::vector<std::vector<char>> is_ready_;          // per client and request
  std::vector<Message*> collectives_;
  std::size_t next_collective_ = 0;                  // the first that has not started
  std::unique_ptr<Flight[]> rounds_;
  int waited_rounds_ = 0;

  std::atomic_flag driving_;                         // who holds it tests requests and unpacks
  std::exception_ptr failure_;                       // of a driver; guarded by driving_
  std::atomic<bool> failed_{false};
  std::vector<std::size_t> tracks_;                  // timeline track of each client
  std::size_t own_track_ = 0;
};

}  // namespace weft
