// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "weft/names.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The two sides of an exchange's progress: sends; receives and collectives.
enum class Side : std::uint8_t { sending, receiving };

/// An object with messages in flight that needs progress calls, such as an exchange.
class Progressable {
 public:
  /// idle: nothing was in flight; waiting: messages were in flight, but none completed; advanced: some completed.
  enum class Result : std::uint8_t { idle, waiting, advanced };

  virtual ~Progressable() = default;
  /// Makes progress: tests the messages in flight and unpacks those that have arrived. Never blocks, never throws; any
  /// thread may call it at any time.
  virtual Result drive() noexcept = 0;
  /// The same for one side; two threads may drive both sides at once. An object without sides drives all.
  virtual Result drive_side(Side side) noexcept {
    static_cast<void>(side);
    return drive();
  }

 private:
  friend class Progress;
  double polled_at_ = 0;
};

/// How MPI progress is made between start and wait. Each rank may choose for itself.
struct ProgressOptions {
  /// The progress modes.
  enum class Kind : std::uint8_t {
    passive,  ///< no progress calls between start and wait
    polling,  ///< the computing thread calls MPI_Test in progress(), at most once per interval
    thread,   ///< one progress thread; needs a transport that is thread_multiple()
    /// A sending and a receiving thread, which pack, send, receive and unpack. The computing thread only puts ready and
    /// accepted parts into their queues (as in GrACE's multithreaded engine). Needs what `thread` needs.
    send_receive_threads,
  };
  Kind kind = Kind::polling;        ///< the progress mode
  double interval_seconds = 50e-6;  ///< polling: smallest time between two tests of an exchange
  int threads = 2;                  ///< send_receive_threads: 2, or 1 for one thread that does both sides
  /// The core of each progress thread, in rotation if there are fewer cores; empty: the system places the threads.
  std::vector<int> pin{};

  /// Whether all options are equal.
  bool operator==(const ProgressOptions&) const = default;
};

/// The names of the progress modes.
inline constexpr Names<ProgressOptions::Kind> progress_names("progress mode",
                                                             {{ProgressOptions::Kind::passive, "passive"},
                                                              {ProgressOptions::Kind::polling, "polling"},
                                                              {ProgressOptions::Kind::thread, "thread"},
                                                              {ProgressOptions::Kind::send_receive_threads,
                                                               "send_receive_threads"}});
/// The progress mode with this name. Throws as Names::named().
ProgressOptions::Kind progress_kind(const std::string& name);
/// The name as in the enumeration.
const char* name_of(ProgressOptions::Kind kind);

/// Makes MPI progress between start and wait. One object serves all exchanges of a program.
///
/// A progress thread tests, then yields, then sleeps for about half the measured time between two arrivals (20 us to 1
/// ms). It never blocks inside MPI. While nothing is in flight it sleeps until a send wakes it.
///
/// Thread-safety: wake() from any thread, all other functions from the computing thread.
class Progress {
 public:
  /// Starts the threads. Throws Error if the transport does not allow threads, or if a thread can't start or be pinned.
  Progress(const Transport& transport, const ProgressOptions& options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The progress mode.
  ProgressOptions::Kind kind() const { return options_.kind; }
  /// Whether ready parts are queued for a progress thread instead of being sent at once.
  bool queues() const { return options_.kind == ProgressOptions::Kind::send_receive_threads; }

  /// Makes progress on `driven` from now on; borrowed until detach().
  void attach(Progressable& driven);
  /// Makes no progress on `driven` any more. Returns when no progress thread uses it.
  void detach(Progressable& driven);
  /// Wakes the progress threads: something is in flight (or queued) from now on.
  void wake();
  /// The same for the thread of one side only.
  void wake(Side side);
  /// Makes progress if the mode is `polling` and the interval is over. For the computing thread.
  void poll(Progressable& driven);
  /// The same for `progress`; if it is null, polls with the default interval.
  static void poll(Progress* progress, Progressable& driven);

 private:
  static void poll(Progressable& driven, double interval_seconds);

  enum class Sides : std::uint8_t { all, sending, receiving };
  // Each thread has its own list, so that they don't wait for each other.
  struct Thread {
    Sides part = Sides::all;
    // Guards driven. Recursive, since a continuation may destroy an exchange.
    std::recursive_mutex mutex;
    std::vector<Progressable*> driven;
    alignas(64) std::atomic<std::uint32_t> wakes{0};
    std::atomic<bool> naps{false};  // it sleeps for a limited time
    std::counting_semaphore<> roused{0};
    std::jthread thread;

    void wake() {
      wakes.fetch_add(1, std::memory_order_seq_cst);
      wakes.notify_one();
    }
    // Also ends a limited sleep: for sends that only this thread posts.
    void rouse() {
      wake();
      if (naps.exchange(false, std::memory_order_seq_cst)) roused.release();
    }
    void nap(std::uint32_t seen, double seconds);
    Progressable::Result drive_all();
    void run(const std::stop_token& stop);
  };
  void pin();
  void stop();

  ProgressOptions options_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace weft
