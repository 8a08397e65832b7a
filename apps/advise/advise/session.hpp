// SPDX-License-Identifier: BSD-3-Clause
//
// libweft_advise.so: loaded into a program that does not use weft, it takes MPI's names, records what each call site
// had in flight, and reports what could be hidden. What judges knows no MPI (advise_core); hooks, threads and output
// are the shared library's.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "advise/communicators.hpp"
#include "advise/live.hpp"
#include "advise/message.hpp"
#include "advise/network.hpp"
#include "advise/recorder.hpp"
#include "advise/settings.hpp"
#include "advise/ticks.hpp"

namespace weft::advise {

class HelperThread;

/// The streams that were used last, by the program's own words for them.
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

/// Where a rank is in its job, without a communicator.
struct Seat {
  int rank = 0, ranks = 1;
};

/// All that the library knows of the program that it was loaded into, from MPI_Init to MPI_Finalize.
class Session {
 public:
  /// Of a program with MPI_COMM_WORLD: collective. Of one that has sessions alone: `comm` stays null, nothing is
  /// measured, and what is recorded is left in the live files.
  Session(const Settings& settings, bool has_world, Seat seat);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Settings settings;
  MPI_Comm comm;  ///< ours
  int rank, ranks;
  int process;  ///< whose it is: one that was forked is none of ours
  LiveFile live;
  Recorder recorder;
  Communicators communicators;
  NetworkModel network;
  TickScale::Moment start;
  std::mutex mutex;
  bool yields = false;        ///< there are more ranks than cores here, so waits give the core away
  bool driven = false;        ///< there was a helper thread
  bool helper_gains = false;  ///< its last tries gained something
  StreamCache streams;
  KeyMap<Message> matched{64};  ///< what MPI_Mprobe found and nobody has received yet, by its handle
  bool threads = false;         ///< the program may call MPI from several: then each hook locks
  int thread_level = 0;
  std::unique_ptr<HelperThread> helper;

  /// Collective: gathers, judges and writes. What goes wrong is said, not thrown.
  void report();
  /// A window of calls has been recorded: if that took more than its share of the time, the next ones pass unseen.
  void rest();
  /// Called while calls pass unseen, now and then; true: it is time to look again.
  bool rested();
  /// The next so many calls, as Recorder::effort() counts them.
  void open_window(std::uint64_t calls);
  void close_window();

  static constexpr std::uint64_t no_window = ~std::uint64_t{0};
  std::uint64_t window_end = 0;      ///< Recorder::effort() then
  std::uint64_t seen_ticks = 0;      ///< how long calls were recorded, until the last rest
  std::uint64_t recorded_calls = 0;  ///< in that time

 private:
  void gather_report(class Waiting& waiting);

  std::uint64_t window_start_ = 0, window_ticks_ = 0, wake_ticks_ = 0;
};

/// What recording a call costs, in any program.
inline constexpr double seconds_a_call = 60e-9;

/// 0: calls are recorded. Above: so many pass unseen before somebody looks at the clock. Below: there is no session.
/// Plain loads and stores: if threads get in each other's way, a few calls more or less pass.
extern std::atomic<std::int64_t> passing;
extern Session* session;
extern thread_local int depth __attribute__((tls_model("initial-exec")));

/// MPI_Init has returned: reads the settings and starts to record. Never throws; says on rank 0 what is wrong.
void start_session(int provided, bool threads);
/// The same where the program has MPI_Session_init alone.
void start_session_without_world();
/// Before MPI_Finalize. Never throws.
void finish_session();
/// The program ends in another way: nobody is waited for, and what was recorded stays in the live file.
void drop_session();

/// While one is there, MPI functions that this thread calls are not the program's: a library may call its own.
class Nested {
 public:
  Nested() { ++depth; }
  ~Nested() { --depth; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
};

/// One call of the program's. Where calls pass unseen it costs a load, a store and two branches.
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
  /// Whether this call is to be recorded.
  bool active() const { return outer_; }
  /// Whether the program's objects are followed, which goes on while calls pass.
  bool follows() const { return outer_ || (!counts_ && depth == 0 && passing.load(std::memory_order_relaxed) > 0); }

 private:
  static bool wakes();

  bool counts_ = false, outer_ = false;
};

/// Held while the recorder is written to.
class Writing {
 public:
  Writing() {
    if (session->threads) session->mutex.lock();
  }
  ~Writing() {
    if (session->recorder.effort() >= session->window_end) [[unlikely]]
      session->rest();
    if (session->threads) session->mutex.unlock();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
};

}  // namespace weft::advise
