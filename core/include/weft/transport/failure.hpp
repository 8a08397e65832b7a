// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The failure state of objects that ranks share over one transport: an exchange, all exchanges of a StepManager, or a
/// mailbox. A failure is final: after it, each call throws an Error that names the first rank that failed and its
/// error. The protocol, and why no rank waits for ever, are in docs/design/core.md; docs/design/failure.pml is its
/// model.
///
/// A rank that fails by itself sends a notice to every other rank. Then this rank and all ranks that get the notice
/// *wind down*: a rank starts nothing any more, cancels its receives, receives and discards what is in flight to it,
/// and waits until no operation uses memory of the program. What remains uses weft's own buffers, and is leaked with
/// them if it never completes.
///
/// Belongs to the computing thread. A progress thread may call fail() (in a continuation), look() and look_seldom().
class Failure final : public std::enable_shared_from_this<Failure> {
 public:
  /// What a failed object still has in flight: nothing; collectives and partitions on weft's buffers, which may never
  /// complete; messages on weft's buffers; operations on memory of the program.
  enum class Left : std::uint8_t { nothing, collectives, messages, memory_of_program };

  /// An object with operations in flight on the transport.
  class Member {
   public:
    /// Starts nothing from now on, and cancels what can be cancelled. Called until nothing is left.
    virtual Left stop() noexcept = 0;

   protected:
    ~Member() = default;
  };

  /// While an object of this class exists, each wait of this thread looks for notices, and so may throw the PeerError.
  class Watching {
   public:
    /// Borrows `failure`.
    explicit Watching(Failure& failure);
    ~Watching();
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;
    /// Whether this thread has such an object.
    static bool any();
    /// Looks for notices of all failures that this thread watches.
    static void look();

   private:
    Failure& failure_;
    Watching* outer_;
  };

  /// `transport` belongs to the objects that fail together. Messages with the tag last_tag() - 2 are the protocol's.
  /// `who` begins error messages, as "The mailbox".
  Failure(std::shared_ptr<Transport> transport, std::string who);
  /// Starts nothing. If there was a failure, the transport is leaked: messages of other ranks may still arrive.
  ~Failure();
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;

  /// Adds an object that is stopped by a failure. Borrowed until remove().
  void add(Member& member);
  /// Removes an object, which is then not stopped any more.
  void remove(Member& member);
  /// Adds another transport over which members send messages.
  void add(const std::shared_ptr<Transport>& transport);
  /// Sets what begins error messages from now on.
  void name(std::string who) { who_ = std::move(who); }

  /// Whether it has failed, as far as this rank knows.
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  /// Throws the Error of the failure, if there is one: a PeerError if another rank was the first.
  void check() const {
    if (has_failed()) throw_error();
  }
  /// Makes this rank fail. Returns when no operation uses memory of the program; after the time-out ends the job. Only
  /// the first error counts.
  void fail(const std::string& why) noexcept;
  /// The same with the text of an exception.
  void fail(const std::exception_ptr& why) noexcept;
  /// Looks for a notice of another rank. If there is one, winds down and throws the PeerError.
  void look();
  /// The same, but at most once in a millisecond: for calls that do not wait.
  void look_seldom();
  /// Runs `work`; if it throws, this rank fails.
  template <class Work>
  decltype(auto) guard(const Work& work) {
    check();
    try {
      return work();
    } catch (...) {
      fail(std::current_exception());
      throw;
    }
  }

  /// The same for collective work. An Error that all ranks throw (everywhere()) is no failure. Each wait in `work`
  /// looks for notices.
  template <class Work>
  void together(const Work& work) {
    check();
    const Watching watching(*this);
    try {
      work();
    } catch (...) {
      if (!is_everywhere(std::current_exception())) fail(std::current_exception());
      throw;
    }
  }

  /// Continues the failures that this thread has thrown before all ranks had wound down: forwards notices and discards
  /// messages. Each wait calls it. Never waits.
  static void serve() noexcept;
  /// The same until nothing is left to do, for at most `seconds`. Returns whether nothing is left.
  static bool serve_for(double seconds) noexcept;

 private:
  struct Transfer {
    std::vector<std::byte> bytes;  // must outlive the operation
    std::unique_ptr<Operation> operation;
  };

  static bool is_everywhere(const std::exception_ptr& exception);
  [[noreturn]] void throw_error() const;
  std::string sentence() const;
  void mark(int rank, const std::string& why);
  void wind_down() noexcept;
  bool is_served() noexcept;
  void advance();
  void take_messages(Transport& transport);
  void take_own(const Arrival& arrival);
  void send(int rank, std::int32_t kind);
  void send_token();
  void keep_transports();
  int steps() const;
  int tag() const { return transport_->last_tag() - 2; }

  struct Served;

  std::shared_ptr<Transport> transport_;
  std::weak_ptr<Served> served_by_;  // of the thread that has made this object
  bool tells_;  // whether the transport can probe for messages; otherwise no other rank learns of a failure
  std::vector<std::weak_ptr<Transport>> others_;
  std::vector<std::shared_ptr<Transport>> kept_;  // the others, once it has failed
  std::string who_;
  std::vector<Member*> members_;

  std::atomic<bool> marked_{false}, failed_{false};
  std::atomic<double> looked_{0};  // when look_seldom() looked last; a pipeline's progress thread calls it too
  int first_rank_ = 0;             // that failed, as far as this rank knows, and its error
  std::string why_;

  std::recursive_mutex mutex_;  // guards what follows
  bool has_told_ = false, is_over_ = false;
  Left left_ = Left::memory_of_program;
  int step_ = -1;                // of the barrier, that this rank has entered
  std::vector<char> has_token_;  // by step of the barrier
  std::vector<Transfer> sent_, discarded_;
};

/// How long a failed rank waits for operations on memory of the program before it ends the job, in seconds: the
/// time-out, or 600 if there is none.
double seconds_before_end();

/// The text of an exception.
std::string text_of(const std::exception_ptr& exception);

}  // namespace weft
