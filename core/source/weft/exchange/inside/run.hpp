// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/exchange/inside/carriers.hpp"
#include "weft/exchange/inside/continuations.hpp"
#include "weft/exchange/inside/layout.hpp"
#include "weft/exchange/inside/sides.hpp"
#include "weft/exchange/started.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/failure.hpp"

namespace weft::inside {

/// The messages of a committed exchange, and their state in one start: which parts are ready, which are accepted, which
/// rounds are over. A StartedExchange points to it and documents its members.
class Run final : private Progressable, private Failure::Member {
 public:
  /// Creates the messages: local work, which may throw on this rank alone. Borrows layout and transport.
  Run(Layout& layout, Transport& transport, std::shared_ptr<Failure> failure, int first_tag);
  /// The collective part of the set-up. Collective.
  void meet();
  ~Run() override;
  /// Call it before destruction: after a failure, leaks what is still in flight.
  void end() noexcept;

  void start(std::uint64_t buffer_index, const device::Queue& queue = {});
  void ready(Part part, const device::Queue& queue = {});
  void ready(Part part, std::size_t bytes);
  /// The same for a part that has this memory in this start only.
  void ready(Part part, Region region, const device::Queue& queue = {});
  /// Sets the memory of a part that was listed with given().
  void rebind(Part part, Region region);
  void ready_all(std::uint32_t client, int round);
  void accept(Part part, const device::Queue& queue = {});
  void accept_all(std::uint32_t client, int round);
  bool arrived(Part part) const;
  std::size_t received_bytes(Part part) const;
  Bytes take_received(Part part, Bytes spare);
  std::size_t sent_bytes(Part part) const;
  void progress();
  bool test();
  void wait(int round);
  void wait(int round, const device::Queue& queue);
  void complete(Operation& operation);
  void wait_also(std::unique_ptr<Operation> operation) { others_.push_back(std::move(operation)); }
  /// Throws what wait() would throw if an unfinished round could never be over.
  void check_ready() const;
  /// Called now and then during a wait: prints what is missing once it takes too long; throws if another rank has
  /// failed.
  void watch();
  /// Whether all rounds can be waited for: nothing has to be marked or accepted any more.
  bool can_be_waited_for() const;
  void wait_for_all();
  /// This rank fails, as StartedExchange describes. `why`: unless a progress call has thrown.
  void fail(const std::string& why) noexcept;
  /// Throws the Error of a failure, if there is one.
  void check_alive() const { failure_->check(); }
  const std::shared_ptr<Failure>& failure() const { return failure_; }

  /// Whether it was started, and not all rounds were waited for.
  bool is_active() const { return active_; }
  int next_round() const { return waited_rounds_; }
  std::uint64_t starts() const { return starts_; }
  std::uint64_t polls() const { return polls_; }

  StartedExchange* started = nullptr;  ///< the current handle of the start

 private:
  struct Watch {
    double since = 0, next = 0;
    unsigned tries = 0;
    bool has_told = false;
  };

  Progressable::Result drive() noexcept override;
  Progressable::Result drive_side(Side side) noexcept override;
  void prepare(std::uint64_t buffer_index);
  void end_lending();
  bool uses_devices() const { return !start_.devices.empty(); }
  OnDevice* on_device(Part part) const;
  void mark_ready(Part part, const device::Queue& queue);
  void follow_ready(Part part, bool is_last);
  [[noreturn]] void refuse_ready(Part part) const;
  void set_memory(Part part, Region region);
  void check_side(Part part, const Region& region) const;
  void check_queue(const device::Queue& queue) const;
  void check_wait(int round) const;
  void wait_checked(int round);
  void wait_for(Part part, const device::Queue& queue, const char* call) const;
  Failure::Left stop() noexcept override;
  void attach(bool on);
  void compare_buffer_indices(int round) const;
  void check_memory() const;
  void check_memory(Part part) const;
  void start_collectives();
  void rethrow() const;
  bool others_are_done() {
    std::erase_if(others_, [](const auto& operation) { return operation->test(); });
    return others_.empty();
  }
  bool is_in_continuation() const {  // which a call of ready(), or of progress, has called
    return continuations_.is_running() || outgoing_.driving().is_mine() || incoming_.driving().is_mine();
  }
  void check_ready(int round) const;
  void check_continuations_begun(int round) const;
  [[noreturn]] void throw_unready(const Message& message) const;
  void complain(double seconds) const;

  Layout& layout_;
  Transport& transport_;
  Start start_;
  Messages messages_;
  std::unique_ptr<Builder> builder_;  // until the collective part of the set-up
  Continuations continuations_;
  Outgoing outgoing_;
  Incoming incoming_;
  std::shared_ptr<Failure> failure_;
  std::vector<Part> continued_on_device_;  // parts that a continuation sends
  ByPart<char> is_ready_;                  // for a receive: whether it is accepted
  // Parts that have their memory for this start only, and what they had before.
  std::vector<std::pair<Part, std::optional<Region>>> lent_;

  std::vector<std::unique_ptr<Operation>> others_;  // for which the next round waits, too
  bool active_ = false, attached_ = false;
  std::uint64_t starts_ = 0, polls_ = 0;
  std::size_t next_collective_ = 0;  // the first that has not started
  int waited_rounds_ = 0;
  Watch watch_;
};

}  // namespace weft::inside
