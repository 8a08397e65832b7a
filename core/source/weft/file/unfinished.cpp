// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/unfinished.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>

namespace weft {
namespace {

// Of fixed size, and never freed: a signal's handler reads them at any time.
struct Slot {
  enum State : int { unused, changes, names_a_file };
  std::atomic<int> state = unused;
  std::array<char, PATH_MAX> file{};
};
std::array<Slot, 64> slots;
std::atomic<pid_t> owner = 0;  // a child process that has not replaced its program yet has no unfinished files
std::atomic<bool> ends = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void end_by(int signal) {
  if (::getpid() == owner) {
    ends = true;
    for (auto& slot : slots)
      if (slot.state == Slot::names_a_file) ::unlink(slot.file.data());
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

UnfinishedName::UnfinishedName(const std::filesystem::path& file) : slot_(slots.size()) {
  const auto text = std::filesystem::absolute(file).string();
  if (text.size() >= PATH_MAX) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int unused = Slot::unused;
    if (!slots[i].state.compare_exchange_strong(unused, Slot::changes)) continue;
    while (ends) ::pause();  // another thread is in the handler, which may just read this slot
    std::memcpy(slots[i].file.data(), text.c_str(), text.size() + 1);
    slots[i].state = Slot::names_a_file;
    slot_ = i;
    return;
  }
}

UnfinishedName::~UnfinishedName() {
  if (slot_ < slots.size()) slots[slot_].state = Slot::unused;
}

void remove_unfinished_files() {
  owner = ::getpid();
  ::signal(SIGXFSZ, SIG_IGN);
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2}) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
    now.sa_handler = end_by;
    now.sa_flags = SA_NODEFER;  // so that raise ends the process at once
    ::sigaction(number, &now, nullptr);
  }
}

}  // namespace weft
