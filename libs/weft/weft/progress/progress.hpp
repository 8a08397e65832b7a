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

namespace weft {

/// Which half of the work a helper does: what leaves this rank, or what arrives (collectives are among that).
enum class Side : std::uint8_t { sending, receiving };

/// Something whose messages have to be driven: an exchange.
class Driven {
 public:
  /// Nothing was in flight; it was, and nothing happened; something did.
  enum class Result : std::uint8_t { idle, waiting, advanced };

  virtual ~Driven() = default;
  /// Tests what is in flight and unpacks what arrived. Never blocks, never throws; any thread may call it at any time.
  virtual Result drive() noexcept = 0;
  /// One half of that. The halves don't exclude each other; what has none is driven as a whole.
  virtual Result drive_side(Side side) noexcept {
    static_cast<void>(side);
    return drive();
  }

 private:
  friend class Progress;
  double polled_at_ = 0;
};

/// Who drives, and how. A rank's own choice.
struct ProgressOptions {
  /// Who drives.
  enum class Kind : std::uint8_t {
    passive,  ///< nobody, between post and wait
    polling,  ///< the computation, whenever it calls progress(), at most once an interval
    thread,   ///< one helper thread; needs a transport that is thread_multiple()
    /// A sending and a receiving thread, which pack and start, receive and unpack; the computing thread only puts into
    /// their queues what is ready and what is accepted (the engine of GrACE). Needs what `thread` needs.
    send_receive_threads,
  };
  Kind kind = Kind::polling;        ///< who drives
  double interval_seconds = 50e-6;  ///< polling: smallest time between two tests of an exchange
  int helpers = 2;                  ///< send_receive_threads: 1 does both sides with one thread
  /// The core of each helper thread, in turn if they are fewer; empty: where the system puts them.
  std::vector<int> pin{};

  /// Whether they ask for the same.
  bool operator==(const ProgressOptions&) const = default;
};

/// The names of kinds of progress.
inline constexpr Names<ProgressOptions::Kind> progress_names("progress mode",
                                                             {{ProgressOptions::Kind::passive, "passive"},
                                                              {ProgressOptions::Kind::polling, "polling"},
                                                              {ProgressOptions::Kind::thread, "thread"},
                                                              {ProgressOptions::Kind::send_receive_threads,
                                                               "send_receive_threads"}});
/// The kind of a name; an InputError that lists the names otherwise.
ProgressOptions::Kind progress_kind(const std::string& name);
/// The name as in the enumeration.
const char* name_of(ProgressOptions::Kind kind);

/// Who drives messages between post and wait. One object serves all exchanges of a program.
///
/// A helper thread tests, then yields, then sleeps for about half the time that messages were seen to take (20 us to
/// 1 ms): it never blocks inside MPI and must not cost more than it hides. It sleeps for good while nothing is in
/// flight. What it is to send wakes it.
///
/// Thread-safety: wake() from any thread, all else from the computing thread.
class Progress {
 public:
  /// Throws Error if a thread is asked for that the transport (or a core that the machine) can't have.
  Progress(const Transport& transport, const ProgressOptions& options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Who drives.
  ProgressOptions::Kind kind() const { return options_.kind; }
  /// Whether what is ready is queued for a helper instead of leaving at once.
  bool queues() const { return options_.kind == ProgressOptions::Kind::send_receive_threads; }

  /// Drives it from now on; borrowed until detach().
  void attach(Driven& driven);
  /// Returns when no helper thread will touch `driven` any more.
  void detach(Driven& driven);
  /// Something is in flight (or queued) from now on; of one side only, if its name is given.
  void wake();
  /// The same of one side only.
  void wake(Side side);
  /// Called by the computation: cheap if nothing is due.
  void poll(Driven& driven);

 private:
  enum class Part : std::uint8_t { all, sending, receiving };
  // Each has its own list, so that they don't wait for each other.
  struct Helper {
    Part part = Part::all;
    std::mutex mutex;  // guards driven
    std::vector<Driven*> driven;
    alignas(64) std::atomic<std::uint32_t> wakes{0};
    std::atomic<bool> naps{false};  // it sleeps for a while
    std::counting_semaphore<> roused{0};
    std::jthread thread;

    void wake() {
      wakes.fetch_add(1, std::memory_order_seq_cst);
      wakes.notify_one();
    }
    // Also out of a nap: for what leaves only when the helper takes it.
    void rouse() {
      wake();
      if (naps.exchange(false, std::memory_order_seq_cst)) roused.release();
    }
    void nap(std::uint32_t seen, double seconds);
    Driven::Result drive_all();
    void help(const std::stop_token& stop);
  };
  void pin();
  void stop();

  ProgressOptions options_;
  std::vector<std::unique_ptr<Helper>> helpers_;
};

}  // namespace weft
