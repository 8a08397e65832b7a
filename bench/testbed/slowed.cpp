// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/slowed.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "testbed/base.hpp"

namespace weft::testbed {
namespace {

constexpr std::int64_t period_ns = 20'000'000;

bool tell(int file, int signal) { return syscall(424 /* pidfd_send_signal */, file, signal, nullptr, 0) == 0; }

}  // namespace

void Slowed::forget(std::size_t index) {
  tell(processes_[index].file, SIGCONT);
  close(processes_[index].file);
  processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(index));
}

bool Slowed::slow(int id, double factor) {
  for (std::size_t i = processes_.size(); i-- > 0;)
    if (processes_[i].id == id) forget(i);
  const int file = pidfd_open(id);
  if (file < 0) return false;
  if (factor > 1)
    processes_.push_back(
        {id, file, static_cast<std::int64_t>(static_cast<double>(period_ns) / factor), false, now_ns()});
  else
    close(file);
  return true;
}

std::int64_t Slowed::advance() {
  const auto now = now_ns();
  std::int64_t next = -1;
  for (std::size_t i = processes_.size(); i-- > 0;) {
    auto& p = processes_[i];
    if (p.next <= now) {
      if (!tell(p.file, p.stopped ? SIGCONT : SIGSTOP)) {  // it has ended
        forget(i);
        continue;
      }
      p.stopped = !p.stopped;
      p.next = now + (p.stopped ? period_ns - p.running_ns : p.running_ns);
    }
    next = next < 0 ? p.next : std::min(next, p.next);
  }
  return next;
}

}  // namespace weft::testbed
