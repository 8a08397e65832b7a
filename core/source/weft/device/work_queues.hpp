// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace weft::device {

/// A point of a queue, where an event was recorded.
struct Mark {
  bool is_done = false;
};

/// One of three: a kernel, a wait for a mark, or the end of the work before a mark.
struct Work {
  std::function<void()> kernel;
  std::shared_ptr<const Mark> awaits;
  std::shared_ptr<Mark> marks;
};

/// A queue of the test device.
struct WorkQueue {
  std::deque<Work> work;
  bool is_running = false;  ///< its first piece of work, which is no longer in the list
  bool is_freed = false;
  bool is_ready() const {
    return !is_running && !work.empty() && (!work.front().awaits || work.front().awaits->is_done);
  }
};

/// The queues and events of a test device, and its problem. All functions need the lock, except start(), end() and
/// keep().
class WorkQueues {
 public:
  WorkQueues(std::uint64_t seed, int threads) : random(seed), thread_count_(threads) {}

  /// Starts the threads, which own all this, too.
  void start(const std::shared_ptr<WorkQueues>& self);
  /// Ends them. Work in the queues never runs.
  void end();

  /// Locks for a call. Throws an Error if there is a problem.
  std::unique_lock<std::mutex> enter() const;
  /// Keeps the first problem, and warns of it.
  void keep(const std::string& text);

  void* make_queue();
  void free_queue(void* handle);
  WorkQueue& queue(const char* call, void* handle);
  void* make_event();
  void free_event(void* handle);
  /// The event's last mark; null: it was never recorded.
  std::shared_ptr<Mark>& event(const char* call, void* handle);

  void push(WorkQueue& queue, Work work);
  std::shared_ptr<Mark> mark(WorkQueue& queue);   ///< queues one
  std::vector<std::shared_ptr<Mark>> mark_all();  ///< queues one in each queue
  /// Without threads: runs some pieces of work, or none. Throws an Error if there is a problem.
  void run_some(std::unique_lock<std::mutex>& lock);
  /// Waits for a mark, likewise.
  void finish(std::unique_lock<std::mutex>& lock, const Mark& mark);

  mutable std::mutex mutex;
  std::mt19937_64 random;
  std::string problem;

 private:
  bool run_one(std::unique_lock<std::mutex>& lock);
  void* new_handle();

  const int thread_count_;
  std::uintptr_t last_handle_ = 0;
  std::map<void*, WorkQueue> queues_;  // also those that are freed and not empty
  std::map<void*, std::shared_ptr<Mark>> events_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

/// The beginning of an error's text.
std::string test_device_failed(const char* call);
/// What an exception says.
std::string exception_text(const std::exception_ptr& error);

}  // namespace weft::device
