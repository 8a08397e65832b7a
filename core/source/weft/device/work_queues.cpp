// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/work_queues.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "weft/error.hpp"
#include "weft/warning.hpp"

namespace weft::device {

std::string test_device_failed(const char* call) { return std::string(call) + "() of the test device failed: "; }

std::string exception_text(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

void WorkQueues::start(const std::shared_ptr<WorkQueues>& self) {
  for (int i = 0; i < thread_count_; ++i)
    threads_.emplace_back([self] {
      std::unique_lock lock(self->mutex);
      while (!self->ends_)
        if (!self->run_one(lock)) self->changed_.wait(lock);
    });
}

void WorkQueues::end() {
  {
    const std::lock_guard lock(mutex);
    ends_ = true;
    changed_.notify_all();
  }
  for (auto& thread : threads_)
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();  // a kernel held the last pointer to the device
    else
      thread.join();
}

std::unique_lock<std::mutex> WorkQueues::enter() const {
  std::unique_lock lock(mutex);
  if (!problem.empty()) throw Error(problem);
  return lock;
}

void WorkQueues::keep(const std::string& text) {
  {
    const std::lock_guard lock(mutex);
    if (!problem.empty()) return;
    problem = text;
  }
  warn(text);
}

// Handles are never used again, so that a freed one is found.
void* WorkQueues::new_handle() {
  return reinterpret_cast<void*>(last_handle_ += 16);  // NOLINT(performance-no-int-to-ptr)
}

void* WorkQueues::make_queue() {
  auto* const handle = new_handle();
  queues_[handle];
  return handle;
}

void WorkQueues::free_queue(void* handle) {
  auto& freed = queue("free_queue", handle);
  freed.is_freed = true;
  if (freed.work.empty() && !freed.is_running) queues_.erase(handle);
}

WorkQueue& WorkQueues::queue(const char* call, void* handle) {
  const auto found = queues_.find(handle);
  if (found == queues_.end() || found->second.is_freed)
    throw Error(test_device_failed(call) +
                "the queue is unknown (it was freed, or is of another device). Give a queue of "
                "make_queue().");
  return found->second;
}

void* WorkQueues::make_event() {
  auto* const handle = new_handle();
  events_[handle];
  return handle;
}

void WorkQueues::free_event(void* handle) {
  event("free_event", handle);
  events_.erase(handle);
}

std::shared_ptr<Mark>& WorkQueues::event(const char* call, void* handle) {
  const auto found = events_.find(handle);
  if (found == events_.end())
    throw Error(test_device_failed(call) +
                "the event is unknown (it was freed, or is of another device). Give an event of "
                "make_event().");
  return found->second;
}

void WorkQueues::push(WorkQueue& queue, Work work) {
  queue.work.push_back(std::move(work));
  changed_.notify_all();
}

std::shared_ptr<Mark> WorkQueues::mark(WorkQueue& queue) {
  auto mark = std::make_shared<Mark>();
  push(queue, {nullptr, nullptr, mark});
  return mark;
}

std::vector<std::shared_ptr<Mark>> WorkQueues::mark_all() {
  std::vector<std::shared_ptr<Mark>> marks;
  for (auto& [handle, queue] : queues_) marks.push_back(mark(queue));
  return marks;
}

// Runs one piece of work of a random queue. False: none can run now.
bool WorkQueues::run_one(std::unique_lock<std::mutex>& lock) {
  std::vector<std::map<void*, WorkQueue>::iterator> ready;
  for (auto q = queues_.begin(); q != queues_.end(); ++q)
    if (q->second.is_ready()) ready.push_back(q);
  if (ready.empty()) return false;
  const auto at = ready[random() % ready.size()];
  auto& queue = at->second;
  auto work = std::move(queue.work.front());
  queue.work.pop_front();
  queue.is_running = true;
  if (work.kernel) {
    const auto pause = std::chrono::microseconds(thread_count_ > 0 && random() % 4 == 0 ? random() % 50 : 0);
    const bool runs = problem.empty();
    lock.unlock();
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
    if (runs) try {
        work.kernel();
      } catch (...) {
        keep(exception_text(std::current_exception()));
      }
    work.kernel = nullptr;  // without the lock: what it holds may use the device
    lock.lock();
  }
  if (work.marks) work.marks->is_done = true;
  queue.is_running = false;
  if (queue.is_freed && queue.work.empty()) queues_.erase(at);
  changed_.notify_all();
  return true;
}

void WorkQueues::run_some(std::unique_lock<std::mutex>& lock) {
  if (thread_count_ <= 0)
    for (auto pieces = random() % 4; pieces > 0 && run_one(lock);) --pieces;
  if (!problem.empty()) throw Error(problem);
}

void WorkQueues::finish(std::unique_lock<std::mutex>& lock, const Mark& mark) {
  while (!mark.is_done)
    if (thread_count_ > 0 || !run_one(lock)) changed_.wait(lock);
  if (!problem.empty()) throw Error(problem);
}

}  // namespace weft::device
