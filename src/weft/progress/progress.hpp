// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft {

/// Something whose messages have to be driven: an exchange.
class Driven {
 public:
  enum class Result : std::uint8_t { idle, waiting, advanced };

  virtual ~Driven() = default;
  /// Tests what is in flight and unpacks what arrived. Never blocks, never throws; any thread may call it at any time.
  virtual Result drive() noexcept = 0;
};

struct ProgressOptions {
  enum class Kind : std::uint8_t {
    passive,  ///< nobody, between post and wait
    polling,  ///< the computation, whenever it calls progress(), at most once an interval
    thread,   ///< one helper thread; needs a transport that is thread_multiple()
  };
  Kind kind = Kind::polling;
  double interval_seconds = 50e-6;  ///< polling: smallest time between two tests
};

/// "passive", "polling" or "thread"; an InputError that lists them otherwise.
ProgressOptions::Kind progress_kind(const std::string& name);
const char* name_of(ProgressOptions::Kind kind);

/// Who drives messages between post and wait. One object serves all exchanges of a program.
///
/// The helper thread tests, then yields, then sleeps for about half the time that messages were seen to take (20 us to
/// 1 ms): it never blocks inside MPI and must not cost more than it hides. It sleeps for good while nothing is in flight.
class Progress {
 public:
  /// Throws Error if a thread is asked for that the transport can't have.
  Progress(const Transport& transport, const ProgressOptions& options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  ProgressOptions::Kind kind() const { return options_.kind; }

  void attach(Driven& driven);
  /// Returns when no helper thread will touch `driven` any more.
  void detach(Driven& driven);
  /// `driven` has something in flight from now on.
  void wake();
  /// Called by the computation: cheap if nothing is due.
  void poll(Driven& driven);

 private:
  void help(const std::stop_token& stop);
  Driven::Result drive_all();

  ProgressOptions options_;
  double last_poll_ = 0;
  std::mutex mutex_;  // guards driven_
  std::vector<Driven*> driven_;
  std::atomic<std::uint32_t> wakes_{0};
  std::jthread helper_;
};

}  // namespace weft
