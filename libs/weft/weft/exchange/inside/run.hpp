// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/exchange/inside/cancellation.hpp"
#include "weft/exchange/inside/carriers.hpp"
#include "weft/exchange/inside/continuations.hpp"
#include "weft/exchange/inside/journal.hpp"
#include "weft/exchange/inside/layout.hpp"
#include "weft/exchange/inside/sides.hpp"
#include "weft/exchange/started.hpp"
#include "weft/progress/progress.hpp"

namespace weft::inside {

/// The messages of a committed exchange, and their state in one start: which parts are ready, which are accepted, which
/// rounds are over. A StartedExchange points to it and documents its members.
class Run final : private Driven {
 public:
  /// The number of tags for its messages and for the cancellation protocol.
  static int tags_of(const Layout& layout) { return 1 + weft::tags_of(layout.plan); }
  /// Creates the messages: local work, which may throw on this rank alone. Borrows both.
  Run(Layout& layout, Transport& transport, int first_tag);
  /// The collective part of the set-up. Collective.
  void meet();
  ~Run() override;
  /// Call it before destruction. False if something must be leaked.
  bool end() noexcept;

  void start(std::uint64_t buffer_index);
  void ready(Part part);
  void ready(Part part, std::size_t bytes);
  /// The same for a part that has this memory in this start only.
  void ready(Part part, Region region);
  /// Sets the memory of a part that was listed with given().
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
  /// Throws what wait() would throw if an unfinished round could never be over.
  void check_ready() const;
  /// Called now and then during a wait: prints what is missing once it takes too long; throws if another rank has
  /// cancelled.
  void watch();
  /// Whether all rounds can be waited for: nothing has to be marked or accepted any more.
  bool can_be_waited_for() const;
  void wait_for_all();
  /// Cancels the start, as StartedExchange describes.
  void cancel() noexcept;
  /// The same in two steps, for several exchanges at a time: informs the other ranks, and tests whether they have
  /// cancelled too (or never will).
  void tell_that_it_lets_go() noexcept;
  bool is_settled() noexcept;
  /// Waits until all ranks have cancelled the start that this rank has cancelled.
  void settle();

  /// Whether it was started, and not all rounds were waited for.
  bool is_active() const { return active_; }
  int next_round() const { return waited_rounds_; }
  bool is_cancelled() const { return has_let_go_; }
  std::uint64_t starts() const { return starts_; }
  std::uint64_t polls() const { return polls_; }

  // For messages, sides and continuations.
  const Layout& layout() const { return layout_; }
  std::size_t buffer_index() const { return buffer_index_; }
  Journal& journal() { return journal_; }
  const Continuations& continuations() const { return continuations_; }
  Incoming& incoming() { return incoming_; }
  void wake(Side side) {
    if (layout_.options.progress) layout_.options.progress->wake(side);
  }
  /// A message of the round is sent.
  void note_departure(int round);
  /// A message of the round is done.
  void count_down(int round) {
    rounds_[static_cast<std::size_t>(round)].remaining.fetch_sub(1, std::memory_order_acq_rel);
  }

  StartedExchange* started = nullptr;  ///< the current handle of the start

 private:
  struct Round {
    std::atomic<std::size_t> remaining{0};  // messages that are not done
    std::size_t messages = 0;
    std::atomic<double> departed{0};  // time of the first send
  };
  struct Watch {
    double since = 0, next = 0;
    unsigned tries = 0;
  };

  Driven::Result drive() noexcept override;
  Driven::Result drive_side(Side side) noexcept override;
  void prepare(std::uint64_t buffer_index);
  void settle_soon() noexcept;
  void attach(bool on);
  void compare_buffer_indices(std::uint64_t buffer_index);
  void check_memory() const;
  void check_memory(Part part) const;
  void start_collectives();
  void rethrow_failure() const;
  // A start whose sends have failed could never be waited for.
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
  void check_continuations_begun(int round) const;
  [[noreturn]] void throw_unready(const Message& message) const;
  void complain(double seconds) const;
  bool is_over(int round) const {
    return rounds_[static_cast<std::size_t>(round)].remaining.load(std::memory_order_acquire) == 0;
  }

  Layout& layout_;
  Transport& transport_;
  Messages messages_;
  std::unique_ptr<Builder> builder_;  // until the collective part of the set-up
  Continuations continuations_;
  Outgoing outgoing_;
  Incoming incoming_;
  Journal journal_;
  Cancellation cancellation_;
  std::unique_ptr<Round[]> rounds_;
  ByPart<char> is_ready_;   // for a receive: whether it is accepted
  std::vector<Part> lent_;  // parts that have their memory for this start only

  bool active_ = false, attached_ = false;
  bool has_let_go_ = false;            // the last start was cancelled, and not all ranks have cancelled it
  std::exception_ptr can_not_settle_;  // why they can't
  std::uint64_t starts_ = 0, polls_ = 0;
  std::size_t buffer_index_ = 0;
  std::size_t next_collective_ = 0;  // the first that has not started
  int waited_rounds_ = 0;
  std::exception_ptr failure_;  // of the computing thread, which may have caught it: then wait() throws it
  Watch watch_;
};

}  // namespace weft::inside
