// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "weft/exchange/fifo.hpp"
#include "weft/exchange/options.hpp"
#include "weft/exchange/plan.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

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
/// A message of one contiguous part is sent from (received to) where it lies; others are packed, and unpacked one by
/// one as they arrive. The result never depends on grouping, progress or what carries the messages.
///
/// A client may let rounds follow each other without the computation (Requests::relay): whoever drives goes on with the
/// next.
///
/// With ExchangeOptions::held, what arrives waits in a buffer until its part is accepted: a program that computes block
/// by block accepts a block's ghosts when it has computed the block, and others arrive meanwhile (GrACE's receive
/// queue).
///
/// Construction, commit and destruction are collective. start, ready, accept, progress and wait belong to one computing
/// thread (or several that are ordered by the caller) and take no lock. With Progress of the kind send_receive_threads,
/// ready() and accept() only put a number into a queue; packing, starting, receiving and unpacking is the helpers'
/// work.
class Exchange final : private Driven {
 public:
  /// Without clients, not committed. Duplicates the transport, so its messages meet no others.
  explicit Exchange(Transport& transport, ExchangeOptions options = {});
  ~Exchange() override;

  /// A new client's list. Names are unique in the exchange, and the same on all ranks.
  Requests& client(const std::string& name);
  /// Takes over a copy of a list that was made elsewhere and returns its number here: its parts are {number,
  /// part.index}.
  std::uint32_t add(const Requests& requests);

  /// Throws on every rank an Error naming client, key, both ranks and both sizes if two ends don't agree; also
  /// if the ranks' options differ, or the transport has not what they ask for.
  void commit();
  /// Posts all receives; nothing is ready yet. Throws an Error if it was not committed, or the last start was not
  /// waited for.
  void start();
  /// The part's data may leave; a collective's input is complete.
  void ready(Part part);
  /// Marks every part of one client and round ready that is not yet. For those who don't care which leaves when. A
  /// client that relays has to call it for round 0: from then on its rounds follow each other.
  void ready_all(std::uint32_t client, int round);
  /// The part, which is received, may be put in place from now on: nobody reads its target any more. Only (and always
  /// before its round is waited for) in an exchange whose option `held` is set.
  void accept(Part part);
  /// Accepts every part of one client and round that is not yet. Does nothing in an exchange that does not hold.
  void accept_all(std::uint32_t client, int round);
  /// Gives the messages a chance to move, if Progress is `polling`: cheap if nothing is due.
  void progress() {
    ++polls_;
    if (active_ && options_.progress) options_.progress->poll(*this);
  }
  /// Whether a part, which is received, is in place: from then on until the next start(). For who computes first what
  /// has all that it needs; somebody has to drive meanwhile.
  bool arrived(Part part) const;
  /// Drives what is in flight; true if wait() would not wait. For whoever has several things in flight, such as a
  /// pipeline.
  bool test();
  /// Completes round `round`; all its parts must be ready (an Error names one that is not, where plain MPI would hang).
  void wait(int round);
  /// Completes all rounds.
  void wait();

  /// Which messages there are; once committed.
  const Plan& plan() const { return plan_; }
  /// The lists, by client number.
  const std::deque<Requests>& clients() const { return clients_; }
  /// The limit in force: what the options say, or what the transport's eager limit made of 0.
  std::size_t packed_limit_bytes() const { return options_.packed_limit_bytes; }
  /// How often it was started.
  std::uint64_t starts() const { return starts_; }
  /// How often progress() was called.
  std::uint64_t polls() const { return polls_; }
  /// Whether what arrives waits for accept().
  bool holds() const { return options_.held; }
  /// For a person: neighbours, messages, parts, bytes.
  std::string describe() const;

 private:
  struct Message;
  struct Flight;
  struct Relay;
  struct Place {
    Message* message = nullptr;
    std::size_t offset = 0;  // in the packed message
  };
  // What is ready to leave: a part, and whether it is the last that its message waited for.
  struct Departure {
    Part part;
    bool is_last = false;
  };
  // One side's messages. Who holds `driving` tests them; the sides don't exclude each other.
  struct Work {
    std::vector<Message*> messages;
    std::atomic_flag driving;
    std::exception_ptr failure;  // of a driver; guarded by driving
    std::atomic<bool> failed{false};
  };
  Driven::Result drive() noexcept override;
  Driven::Result drive_side(Side side) noexcept override;
  Driven::Result drive_sends();
  Driven::Result drive_arrivals();
  void build();
  Message& append(const MessagePlan& plan);
  void build_pieces(Message& message, const MessagePlan& plan);
  void build_datatypes(Message& message, const MessagePlan& plan);
  void build_neighbourhoods(const std::vector<const MessagePlan*>& messages);
  std::vector<Region> regions_of(const std::vector<Part>& parts) const;
  void build_shared(const std::vector<std::pair<Message*, const MessagePlan*>>& messages);
  void build_relays();
  void build_to_self(const std::vector<std::pair<Message*, const MessagePlan*>>& messages);
  void pack(Message& message);
  void unpack(Message& message);
  bool unpack_held(Message& message, Part part);
  void take_accepted(Driven::Result& result);
  void move_to_self(Message& message);
  void wake(Side side) {
    if (options_.progress) options_.progress->wake(side);
  }
  void hand_over(Departure departure);
  void depart(const Departure& departure);
  void pack(Message& message, Part part);
  void leave(Message& message);
  void leave(Message& message, Part part);
  void arrive(Message& message);
  void start_collectives();
  void count_down(Relay& relay);
  void note_departure(const Message& message);
  void count_packing(Message& message, Part part, double from, double until);
  void finish_round(int round, double waited_from);
  void add_shares(const Message& message, Activity activity);
  void rethrow_failure() const;
  bool failed() const {
    return sending_.failed.load(std::memory_order_acquire) || receiving_.failed.load(std::memory_order_acquire);
  }
  Part checked(Part part, const char* done) const;
  void complain(int round, double seconds) const;
  [[noreturn]] void throw_unready(int round) const;
  const Request& request(Part part) const { return clients_[part.client].list()[part.index]; }
  std::string describe(Part part) const;
  bool packs() const { return options_.carrier != Carrier::datatypes && options_.carrier != Carrier::neighbourhood; }
  bool is_shared(int peer) const {
    return options_.shared_memory && peer != transport_->rank() && transport_->shares_memory_with(peer);
  }

  std::unique_ptr<Transport> transport_;
  ExchangeOptions options_;
  std::deque<Requests> clients_;
  Plan plan_;
  bool committed_ = false, active_ = false;
  std::uint64_t starts_ = 0, polls_ = 0;

  std::unique_ptr<SharedMemory> shared_memory_;     // outlives the messages in it; null: none
  std::vector<std::unique_ptr<Message>> messages_;  // sends, receives, then collectives in their order
  std::vector<std::vector<Place>> place_of_;        // per client and request; without a message: an empty part
  std::vector<std::vector<char>> is_ready_;         // per client and request; of a receive: is accepted
  enum class Held : char { waiting, accepted, unpacked };
  std::vector<std::vector<Held>> held_;  // per client and request, if parts are held; the receiving driver's
  std::vector<Message*> collectives_;
  std::size_t next_collective_ = 0;  // the first that has not started
  std::unique_ptr<Flight[]> rounds_;
  int waited_rounds_ = 0;
  std::vector<std::vector<std::unique_ptr<Relay>>> relays_;  // per client that has any, by round; else empty
  std::vector<char> relays_begun_;                           // per client

  Work sending_, receiving_;  // collectives and neighbourhoods are received
  bool queues_ = false;       // what is ready leaves through departures_
  Fifo<Departure> departures_;
  Fifo<Part> accepted_;
  std::vector<std::size_t> tracks_;  // timeline track of each client
  std::size_t own_track_ = 0;
};

}  // namespace weft
