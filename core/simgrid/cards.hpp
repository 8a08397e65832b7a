// SPDX-License-Identifier: BSD-3-Clause
//
// The library simgrid: the parts of weft's MPI transport for simulated machines (SimGrid's SMPI), where thousands of
// ranks are actors of one process: its communicator, a NIC-level network model with latency, rate and eager limit, and
// the virtual clock. It is compiled into weft when WEFT_MPI is smpi, and into nothing else; the rest of weft uses only
// core/include/weft/simulated.hpp.
#pragma once

#include <simgrid/semaphore.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "weft/simulated.hpp"
#include "weft/transport/transport.hpp"

namespace weft::simulated {

/// The messages of a simulated machine without SimGrid's flows: each node has a card that sends one message after the
/// other and receives one after the other (the LogGP model of Alexandrov et al., 1995, with a queue at either end), and
/// no link between is ever full. An actor of the simulator, the network, keeps the times of the events on cards.
///
/// Messages larger than `eager` use the rendezvous protocol: the sender announces one, the receiver grants it, then it
/// is sent. Announcements and grants are noticed by the card, or (Network::progress_in_calls) by the processor while
/// its rank is in a call.
class Cards {
 public:
  /// The one object of all ranks, created by the first call.
  static Cards& all();

  std::unique_ptr<Operation> send(std::span<const std::byte> data, int from, int to, int context, int tag,
                                  bool synchronous);
  std::unique_ptr<Operation> receive(std::span<std::byte> data, int from, int to, int context, int tag);
  /// Finds a message for this rank that has no started receive; announced, if it uses the rendezvous protocol.
  std::optional<Arrival> probe(int rank, int context, int tag);
  /// Sleeps until a request of this rank completes, if none did since it slept last; for a microsecond if it has probed
  /// since then, because a message without a receive wakes no rank.
  void idle(int rank);
  /// As a probe: its next idle() lasts a microsecond.
  void looked_at_memory(int rank);
  /// Advances the time by the duration of this rank's calls, and by `seconds`.
  void pass(int rank, double seconds);
  double now(int rank) const;

 private:
  struct Message;
  class Request;
  using Held = std::shared_ptr<Message>;
  using Key = std::tuple<int, int, int, int>;  // context, tag, to, from
  enum class What : std::uint8_t { depart, announce, grant, left, arrive, done };
  struct Event {
    double time;
    std::uint64_t number;
    What what;
    Held message;
    bool operator>(const Event& o) const { return std::tie(time, number) > std::tie(o.time, o.number); }
  };
  struct Rank {
    double ahead = 0;  // seconds of its calls that the simulator does not know yet
    std::size_t active = 0;
    // Since it slept last: something is complete; it has probed.
    bool asleep = false, in_call = false, news = false, has_probed = false;
    sg_sem_t wake = sg_sem_init(0);
    std::vector<Event> unnoticed;
  };
  struct Card {
    double out = 0, in = 0;  // busy until then
  };
  Cards();
  static void run(int, char**);

  Rank& rank(int r);
  Card& card(int r) { return cards_[static_cast<std::size_t>(r) / network_.ranks_of_a_node]; }
  bool near(const Message& m) const;
  double latency(const Message& m) const;
  double transfer(const Message& m) const;
  void start(Request& request);
  void deliver(Message& message, std::span<const std::byte> data);
  bool test(Request& request);
  void enter(int rank);
  void post(double time, What what, const Held& message);
  void happen(const Event& event);
  bool is_noticed(int rank, const Event& event);
  void announced(const Held& message, double time);
  void depart(const Held& message, double time);
  void finish(Request*& request);

  Network network_;
  std::vector<Rank> ranks_;
  std::vector<Card> cards_;
  std::map<Key, std::deque<Held>> unmatched_;  // all sends or all receives
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t number_ = 0;
  double sleeps_until_ = -1;  // time until which the network sleeps; below 0: it is awake
  sg_sem_t wake_ = sg_sem_init(0);
};

}  // namespace weft::simulated
