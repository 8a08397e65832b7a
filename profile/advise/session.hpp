// SPDX-License-Identifier: BSD-3-Clause
//
// libweft_advise.so is preloaded into a program that does not use weft. It interposes MPI's functions, records the
// messages of each call site, and reports how much could be overlapped. The analysis (advise_core) does not depend on
// MPI; hooks, threads and output are in the shared library.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "advise/busy.hpp"
#include "advise/clock_rate.hpp"
#include "advise/live.hpp"
#include "advise/message.hpp"
#include "advise/network.hpp"
#include "advise/recorder.hpp"
#include "advise/settings.hpp"
#include "advise/ticks.hpp"

namespace weft::advise {

class ProgressThread;

/// A cache of the streams used last, by the program's handles, peers and tags.
class StreamCache {
 public:
  struct Entry {
    std::uint64_t communicator = 0;
    int peer = 0, tag = 0;
    bool outgoing = false;
    std::uint32_t stream = no_stream;
    bool is(std::uint64_t c, int p, int t, bool o) const {
      return communicator == c && peer == p && tag == t && outgoing == o;
    }
  };
  Entry& at(std::uint64_t communicator, int peer, int tag, bool outgoing) {
    const auto i = static_cast<unsigned>(peer) * 11u + static_cast<unsigned>(tag) * 2u + (outgoing ? 1u : 0u);
    return entries_[(i + static_cast<unsigned>(communicator >> 6)) % entries_.size()];
  }
  void clear() { entries_.fill({}); }

 private:
  std::array<Entry, 256> entries_{};
};

/// Rank and number of ranks.
struct Seat {
  int rank = 0, ranks = 1;
};

/// The state of the library, from MPI_Init to MPI_Finalize.
class Session {
 public:
  /// Collective if the program has MPI_COMM_WORLD. For a program that uses only MPI sessions `comm` stays null, the
  /// network is not measured, and the records stay in the live files.
  Session(const Settings& settings, bool has_world, Seat seat);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Settings settings;
  MPI_Comm comm;  ///< a duplicate of MPI_COMM_WORLD
  int rank, ranks;
  int number = 1;  ///< of this program among those of one command (claim.hpp)
  int process;     ///< the process that made it, to detect forked ones
  LiveFile live;
  Recorder recorder;
  Communicators communicators;
  NetworkModel network;
  TickScale::Moment start;
  Busy busy_at_start;
  ClockRate clock_rate;
  std::mutex mutex;
  bool yields = false;                 ///< more ranks than cores on this node: waits yield the core
  bool driven = false;                 ///< a progress thread was started
  bool progress_thread_gains = false;  ///< its last trials were faster
  StreamCache streams;
  KeyMap<std::uint32_t> matched{64};  ///< streams of messages that MPI_Mprobe found, by handle
  bool threads = false;               ///< the program may call MPI from several threads, so each hook locks
  int thread_level = 0;
  std::unique_ptr<ProgressThread> helper;

  /// Collective: gathers, analyses and writes the report. Prints errors instead of throwing them.
  void report();
  /// Called after a window of calls was recorded; stops recording for a while if it cost more than its share of the
  /// time.
  void rest();
  /// Called now and then while calls are not recorded; true: recording has started again.
  bool rested();
  /// Starts a window of so many calls, as Recorder::effort() counts them.
  void open_window(std::uint64_t calls);
  void close_window();
  /// Cores of this node less its ranks.
  long spare_cores() const;

  static constexpr std::uint64_t no_window = ~std::uint64_t{0};
  std::uint64_t window_end = 0;      ///< Recorder::effort() at the end of the window
  std::uint64_t seen_ticks = 0;      ///< time in which calls were recorded, until the last rest
  std::uint64_t recorded_calls = 0;  ///< calls recorded in that time

 private:
  void gather_report(class Waiting& waiting);

  std::uint64_t window_start_ = 0, window_events_ = 0, window_ticks_ = 0, wake_ticks_ = 0;
};

/// The cost of recording a call.
inline constexpr double seconds_a_call = 60e-9;

/// 0: calls are recorded. Above 0: so many calls are skipped before the clock is read. Below 0: there is no session.
/// Relaxed loads and stores: if threads race, a few calls more or less are skipped.
extern std::atomic<std::int64_t> passing;
extern Session* session;
/// There is no progress thread, since the program makes windows (one_sided.hpp).
extern bool windows_forbid_thread;
extern thread_local int depth __attribute__((tls_model("initial-exec")));

/// Called after MPI_Init: reads the settings and starts to record. Never throws; prints errors on rank 0.
void start_session(int provided, bool threads);
/// The same for programs that use only MPI_Session_init.
void start_session_without_world();
/// Called after MPI_Session_finalize: after the last one, such a program is finished.
void finish_session_without_world();
/// Called before MPI_Finalize. Never throws.
void finish_session();
/// Called if the program ends in another way: does not wait for other ranks; the records stay in the live file.
void drop_session();

/// While an object exists, MPI calls of this thread are not recorded, since they are calls of the MPI library or of
/// weft.
class Nested {
 public:
  Nested() { ++depth; }
  ~Nested() { --depth; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
};

/// One MPI call of the program. If it is not recorded it costs a load, a store and two branches.
class Hook {
 public:
  Hook() {
    const auto left = passing.load(std::memory_order_relaxed);
    if (left == 0 || (left == 1 && wakes())) [[likely]] {
      counts_ = true;
      outer_ = depth++ == 0;
    } else if (left > 1) {
      passing.store(left - 1, std::memory_order_relaxed);
    }
  }
  ~Hook() {
    if (counts_) --depth;
  }
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  /// Whether this call is recorded.
  bool active() const { return outer_; }
  /// Whether changes of the program's requests and communicators are tracked, also while calls are not recorded.
  bool follows() const { return outer_ || (!counts_ && depth == 0 && passing.load(std::memory_order_relaxed) > 0); }
  /// Whether there is a session, also within another call.
  bool has_session() const { return counts_ || passing.load(std::memory_order_relaxed) >= 0; }

 private:
  static bool wakes();

  bool counts_ = false, outer_ = false;
};

/// Locks the recorder for writing, if needed.
class Writing {
 public:
  Writing() {
    if (session->threads) session->mutex.lock();
  }
  ~Writing() {
    if (session->recorder.effort() >= session->window_end) [[unlikely]]
      session->rest();
    session->clock_rate.look(session->recorder.effort());
    if (session->threads) session->mutex.unlock();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
};

}  // namespace weft::advise
