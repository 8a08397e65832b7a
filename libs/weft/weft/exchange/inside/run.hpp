// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/exchange/inside/carriers.hpp"
#include "weft/exchange/inside/farewell.hpp"
#include "weft/exchange/inside/journal.hpp"
#include "weft/exchange/inside/layout.hpp"
#include "weft/exchange/inside/relays.hpp"
#include "weft/exchange/inside/sides.hpp"
#include "weft/exchange/started.hpp"
#include "weft/progress/progress.hpp"

namespace weft::inside {

/// A committed exchange's messages, and what becomes of them in one start: which parts are ready, which are accepted,
/// which rounds are over. A StartedExchange points to it. What its members do is described there.
class Run final : private Driven {
 public:
  /// How many tags its messages and farewells need.
  static int tags_of(const Layout& layout) { return 1 + weft::tags_of(layout.plan); }
  /// Makes the messages: this rank's own work, which may throw alone. Borrows both.
  Run(Layout& layout, Transport& transport, int first_tag);
  /// What ranks make together. Collective.
  void meet();
  ~Run() override;
  /// Before it goes. False if something has to be left behind.
  bool end() noexcept;

  void start(std::uint64_t turn);
  void ready(Part part);
  void ready(Part part, std::size_t bytes);
  /// The same of a part that lies there in this start only.
  void ready(Part part, Region region);
  /// Where a part lies whose memory is given.
  void rebind(Part part, Region region);
  void ready_all(std::uint32_t client, int round);
  void accept(Part part);
  void accept_all(std::uint32_t client, int round);
  bool arrived(Part part) const;
  std::size_t received_bytes(Part part) const;
  Bytes take_received(Part part, Bytes spare);
  std::size_t sent_bytes(Part part) const;
  void progress();
  bool test();
  void wait(int round);
  /// Throws what wait() would if a round that is not over yet could never be.
  void check_ready() const;
  /// For whoever waits, now and then: says what is missing once it takes too long; throws if another rank has let go.
  void watch();
  /// Whether all rounds can be waited for: nobody has to mark, or accept, anything more.
  bool can_be_waited_for() const;
  void wait_for_all();
  /// Ends the start without waiting for a part, as StartedExchange describes it.
  void let_go() noexcept;
  /// The same in two steps, for several at a time: tells the other ranks, and looks whether they have done the same (or
  /// never will).
  void tell_that_it_lets_go() noexcept;
  bool is_settled() noexcept;
  /// Waits until all ranks have let go of what this one has let go.
  void settle();

  /// Whether it was started, and not all rounds were waited for.
  bool is_active() const { return active_; }
  int next_round() const { return waited_rounds_; }
  bool has_let_go() const { return has_let_go_; }
  std::uint64_t starts() const { return starts_; }
  std::uint64_t polls() const { return polls_; }

  // For messages, sides and relays.
  const Layout& layout() const { return layout_; }
  std::size_t turn() const { return turn_; }
  Journal& journal() { return journal_; }
  const Relays& relays() const { return relays_; }
  Incoming& incoming() { return incoming_; }
  void wake(Side side) {
    if (layout_.options.progress) layout_.options.progress->wake(side);
  }
  /// Something of the round leaves.
  void note_departure(int round);
  /// A message of the round is done.
  void count_down(int round) {
    rounds_[static_cast<std::size_t>(round)].remaining.fetch_sub(1, std::memory_order_acq_rel);
  }

  StartedExchange* started = nullptr;  ///< where the start is now

 private:
  struct Round {
    std::atomic<std::size_t> remaining{0};  // messages that are not done
    std::size_t messages = 0;
    std::atomic<double> departed{0};  // first departure
  };
  struct Watch {
    double since = 0, next = 0;
    unsigned tries = 0;
  };

  Driven::Result drive() noexcept override;
  Driven::Result drive_side(Side side) noexcept override;
  void prepare(std::uint64_t turn);
  void settle_soon() noexcept;
  void attach(bool on);
  void compare_turns(std::uint64_t turn);
  void check_memory() const;
  void check_memory(Part part) const;
  void start_collectives();
  void rethrow_failure() const;
  // What fails as the computing thread starts it would be waited for in vain.
  template <class Work>
  void or_fail(const Work& work) {
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }
  void check_ready(int round) const;
  void check_relays_begun(int round) const;
  [[noreturn]] void throw_unready(const Message& message) const;
  void complain(double seconds) const;
  bool is_over(int round) const {
    return rounds_[static_cast<std::size_t>(round)].remaining.load(std::memory_order_acquire) == 0;
  }

  Layout& layout_;
  Transport& transport_;
  Messages messages_;
  std::unique_ptr<Builder> builder_;  // until ranks have met
  Relays relays_;
  Outgoing outgoing_;
  Incoming incoming_;
  Journal journal_;
  Farewell farewell_;
  std::unique_ptr<Round[]> rounds_;
  ByPart<char> is_ready_;   // of a receive: is accepted
  std::vector<Part> lent_;  // parts that have their memory for this start only

  bool active_ = false, attached_ = false;
  bool has_let_go_ = false;            // the last start, and the ranks have not settled it
  std::exception_ptr can_not_settle_;  // why they can't
  std::uint64_t starts_ = 0, polls_ = 0;
  std::size_t turn_ = 0;
  std::size_t next_collective_ = 0;  // the first that has not started
  int waited_rounds_ = 0;
  std::exception_ptr failure_;  // of the computing thread, which may have caught it: it can't be waited for
  Watch watch_;
};

}  // namespace weft::inside
