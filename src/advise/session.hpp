// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "advise/communicators.hpp"
#include "advise/network.hpp"
#include "advise/recorder.hpp"
#include "advise/settings.hpp"
#include "advise/ticks.hpp"

namespace weft::advise {

class HelperThread;

/// All that the library knows of the program that it was loaded into, from MPI_Init to MPI_Finalize.
class Session {
 public:
  Session(const Settings& settings, int provided);
  ~Session();

  Settings settings;
  Recorder recorder;
  Communicators communicators;
  MPI_Comm comm = MPI_COMM_NULL;  ///< ours
  int rank = 0, ranks = 1;
  NetworkModel network;
  TickScale::Moment start;
  std::mutex mutex;
  bool driven = false;   ///< there was a helper thread
  bool threads = false;  ///< the program may call MPI from several: then each hook locks
  std::unique_ptr<HelperThread> helper;

  /// Collective: gathers, judges and writes. Rank 0 returns what is to be said.
  void report();
};

/// Whether calls are recorded; nothing else is read where they are not.
extern bool recording;
extern Session* session;
extern thread_local int depth __attribute__((tls_model("initial-exec")));

/// MPI_Init has returned: reads the settings and starts to record. Never throws; says on rank 0 what is wrong.
/// `threads`: the program may call MPI from several of its own.
void start_session(int provided, bool threads);
/// Before MPI_Finalize. Never throws.
void finish_session();
/// MPI_Abort, or the process ends without MPI_Finalize: no report, and nobody is waited for.
void drop_session();

/// One call of the program's: the calls that MPI makes of its own functions meanwhile are not the program's.
class Hook {
 public:
  Hook() : outer_(depth++ == 0) {}
  ~Hook() { --depth; }
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  bool active() const { return outer_ && recording; }

 private:
  bool outer_;
};

/// Held while the recorder is written to.
class Writing {
 public:
  Writing() {
    if (session->threads) session->mutex.lock();
  }
  ~Writing() {
    if (session->threads) session->mutex.unlock();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
};

}  // namespace weft::advise
