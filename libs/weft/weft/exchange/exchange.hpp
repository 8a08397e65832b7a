// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "weft/exchange/fifo.hpp"
#include "weft/exchange/options.hpp"
#include "weft/exchange/plan.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/exchange/started.hpp"
#include "weft/progress/driving.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

struct Agreement;

/// A set of parts and non-blocking collectives, committed once, started many times, with one synchronisation point.
///
///     Exchange exchange(world);
///     auto& heat = exchange.client("heat");
///     const auto out = heat.send(right, 1, contiguous(last_row));
///     heat.receive(left, 1, contiguous(ghost_row));
///     exchange.commit();                       // both ends compare their lists
///     for (...) {
///       auto messages = exchange.start();      // all receives are posted
///       messages.ready(out);                   // a message leaves with the last of its parts
///       compute_interior();                    // messages.progress() now and then
///       messages.wait();                       // everything is in place
///     }
///
/// Parts may belong to rounds: wait(k) completes round k only, so that what is sent in round k + 1 may depend on it.
/// A message of one contiguous part is sent from (received to) where it lies; others are packed, and unpacked one by
/// one as they arrive. The result never depends on grouping, progress or what carries the messages.
///
/// What lies elsewhere from one start to the next (two arrays that are swapped) has a place for each turn (Places), and
/// start(turn) says which it is.
///
/// A client may let rounds follow each other without the computation (Requests::relay): whoever drives goes on with the
/// next.
///
/// With ExchangeOptions::held, what arrives waits in a buffer until its part is accepted: a program that computes block
/// by block accepts a block's ghosts when it has computed the block, and others arrive meanwhile (GrACE's receive
/// queue).
///
/// Construction, commit and destruction are collective. What a start does belongs to one computing thread (or several
/// that are ordered by the caller) and takes no lock. With Progress of the kind send_receive_threads, ready() and
/// accept() only put a number into a queue; packing, starting, receiving and unpacking is the helpers' work.
class Exchange final : private Driven {
 public:
  /// Without clients, not committed. Duplicates the transport, so its messages meet no others.
  explicit Exchange(Transport& transport, ExchangeOptions options = {});
  /// A start that is still under way goes as if it were destroyed.
  ~Exchange() override;

  /// A new client's list, which commit() seals. Names are unique in the exchange, and the same on all ranks.
  Requests& client(const std::string& name);
  /// Takes over a copy of a list that was made elsewhere and returns its number here: its parts are {number,
  /// part.index}.
  std::uint32_t add(const Requests& requests);

  /// Throws on every rank an Error naming client, key, both ranks and both sizes if two ends don't agree; also
  /// if the ranks' options differ, or the transport has not what they ask for.
  void commit();
  /// Posts all receives, of this turn (the same on all ranks) where parts take turns; nothing is ready yet. Throws an
  /// Error if it was not committed, the last start was not waited for, or one was let go.
  StartedExchange start(std::uint64_t turn = 0);

  /// Which messages there are; once committed.
  const Plan& plan() const { return plan_; }
  /// The lists, by client number.
  const std::deque<Requests>& clients() const { return clients_; }
  /// The limit in force: what the options say, or what the transport's eager limit made of 0.
  std::size_t packed_limit_bytes() const { return options_.packed_limit_bytes; }
  /// How often it was started.
  std::uint64_t starts() const { return starts_; }
  /// How often StartedExchange::progress() was called.
  std::uint64_t polls() const { return polls_; }
  /// Whether what arrives waits for StartedExchange::accept().
  bool holds() const { return options_.held; }
  /// After how many turns the places of its parts begin again; 1: none takes turns.
  std::size_t turns() const { return turns_; }
  /// Whether a start ended without being waited for: it can't be started again.
  bool has_let_go() const { return has_let_go_; }
  /// For a person: neighbours, messages, parts, bytes.
  std::string describe() const;

 private:
  friend class StartedExchange;
  struct Message;
  struct Flight;
  struct Relay;
  struct Relaying;
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
    Driving driving;
  };
  // What a start does.
  void ready(Part part);
  void ready_all(std::uint32_t client, int round);
  void accept(Part part);
  void accept_all(std::uint32_t client, int round);
  void progress() {
    ++polls_;
    if (options_.progress) options_.progress->poll(*this);
  }
  bool arrived(Part part) const;
  bool test();
  void wait(int round);
  bool can_be_waited_for() const;
  void wait_for_all();
  void let_go() noexcept;
  void finish_departed() noexcept;

  Driven::Result drive() noexcept override;
  Driven::Result drive_side(Side side) noexcept override;
  Driven::Result drive_sends();
  Driven::Result drive_arrivals();
  void prepare(const Agreement& agreement);
  void build();
  Message& append(const MessagePlan& plan);
  void build_pieces(Message& message, const MessagePlan& plan);
  void build_datatypes(Message& message, const MessagePlan& plan);
  void build_neighbourhoods(const std::vector<const MessagePlan*>& messages);
  std::vector<Region> regions_of(const std::vector<Part>& parts, std::size_t turn) const;
  std::size_t turns_of(const std::vector<Part>& parts) const;
  std::size_t buffer_to_self(const MessagePlan& sent, const Message& received) const;
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
  void begin_relays(std::uint32_t client);
  void check_relays_begun(int round) const;
  void count_down(Relay& relay);
  void note_departure(const Message& message);
  void count_packing(Message& message, Part part, double from, double until);
  void finish_round(int round, double waited_from);
  void add_shares(const Message& message, Activity activity);
  void rethrow_failure() const {
    sending_.driving.rethrow();
    receiving_.driving.rethrow();
  }
  Part checked(Part part, const char* done) const;
  void complain(int round, double seconds) const;
  [[noreturn]] void throw_unready(int round) const;
  const Request& request(Part part) const { return clients_[part.client].list()[part.index]; }
  const Region& place(Part part) const { return request(part).places.at(turn_); }
  std::string describe(Part part) const;
  bool packs() const { return options_.carrier != Carrier::datatypes && options_.carrier != Carrier::neighbourhood; }
  bool is_shared(int peer) const {
    return options_.shared_memory && peer != transport_->rank() && transport_->shares_memory_with(peer);
  }

  std::unique_ptr<Transport> transport_;
  ExchangeOptions options_;
  std::deque<Requests> clients_;
  Plan plan_;
  bool committed_ = false, active_ = false, has_let_go_ = false;
  StartedExchange* started_ = nullptr;  // where it is now
  std::uint64_t starts_ = 0, polls_ = 0;
  std::size_t turn_ = 0, turns_ = 1;
  int all_rounds_ = 1;  // of all ranks

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
  std::vector<Relaying> relaying_;  // per client

  Work sending_, receiving_;  // collectives and neighbourhoods are received
  bool queues_ = false;       // what is ready leaves through departures_
  Fifo<Departure> departures_;
  Fifo<Part> accepted_;
  std::vector<std::size_t> tracks_;  // timeline track of each client
  std::size_t own_track_ = 0;
};

}  // namespace weft
