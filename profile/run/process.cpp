// SPDX-License-Identifier: BSD-3-Clause
#include "run/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "weft/error.hpp"

namespace weft::run {
namespace {

std::vector<char*> pointers(const Words& words) {
  std::vector<char*> result;
  for (const auto& word : words) result.push_back(const_cast<char*>(word.c_str()));  // exec does not modify the words
  result.push_back(nullptr);
  return result;
}

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {.status = 128 + WTERMSIG(status), .signal = WTERMSIG(status)};
  return {.status = WEXITSTATUS(status)};
}

// Blocks signals, so that this process can wait for them. A signal that was ignored at the start (nohup) stays ignored,
// also by the command.
class Signals {
 public:
  Signals() {
    signal(SIGCHLD, SIG_DFL);  // if it were ignored, a child's exit status would be lost
    sigemptyset(&waited_);
    sigaddset(&waited_, SIGCHLD);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
      struct sigaction now {};
      sigaction(number, nullptr, &now);
      if (now.sa_handler != SIG_IGN) sigaddset(&waited_, number);
    }
    sigprocmask(SIG_BLOCK, &waited_, &before_);
  }
  ~Signals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  const sigset_t& before() const { return before_; }
  siginfo_t wait() const {
    siginfo_t info{};
    while (sigwaitinfo(&waited_, &info) < 0 && errno == EINTR) {
    }
    return info;
  }

 private:
  sigset_t waited_{}, before_{};
};

bool pipes_end_commands = false;  // SIGPIPE was not ignored when this process started

class Spawn {
 public:
  Spawn() {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&actions_);
    if (!pipes_end_commands) return;
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &pipe);
    flags_ |= POSIX_SPAWN_SETSIGDEF;
  }
  ~Spawn() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  void mask(const sigset_t& set) {
    posix_spawnattr_setsigmask(&attributes_, &set);
    flags_ |= POSIX_SPAWN_SETSIGMASK;
  }
  void own_group() {
    posix_spawnattr_setpgroup(&attributes_, 0);
    flags_ |= POSIX_SPAWN_SETPGROUP;
  }
  void streams(int out, bool errors) {
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, 1);
    if (errors)
      posix_spawn_file_actions_adddup2(&actions_, out, 2);
    else
      posix_spawn_file_actions_addopen(&actions_, 2, "/dev/null", O_WRONLY, 0);
  }
  // Returns the error number; 0: no error.
  int start(pid_t& child, const Words& command, const Words& environment) {
    posix_spawnattr_setflags(&attributes_, flags_);
    return posix_spawnp(&child, command.front().c_str(), &actions_, &attributes_, pointers(command).data(),
                        pointers(environment).data());
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
  short flags_ = 0;
};

// The output and how the command ended, or nothing as output_of().
std::optional<std::pair<std::string, Ending>> ended(const Words& command, const Words& environment, double seconds,
                                                    bool errors) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  Spawn spawn;
  spawn.streams(ends[1], errors);
  spawn.own_group();  // so that its children are killed with it
  pid_t child = 0;
  const int error = spawn.start(child, command, environment);
  close(ends[1]);
  std::string text;
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  bool whole = false;
  while (error == 0 && text.size() < 1'000'000) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd readable{ends[0], POLLIN, 0};
    if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) == 0) break;
    char bytes[4096];
    const auto n = ::read(ends[0], bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    whole = n == 0;
    if (n <= 0) break;
    text.append(bytes, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  if (error != 0) return {};
  if (!whole) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole) return {};
  return std::pair(text, ending_of(status));
}

}  // namespace

void outlive_streams() {
  // Opens closed standard streams, so that no other file gets their numbers and is written to as stderr.
  for (int file = 0; file <= STDERR_FILENO && file >= 0;) {
    file = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (file > STDERR_FILENO) close(file);
  }
  struct sigaction before {};
  sigaction(SIGPIPE, nullptr, &before);
  pipes_end_commands = before.sa_handler != SIG_IGN;
  signal(SIGPIPE, SIG_IGN);
}

Words environment(const Words& changes) {
  Words all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view old = *at;
    const auto name = old.substr(0, old.find('=') + 1);
    bool changed = false;
    for (const auto& change : changes) changed = changed || change.starts_with(name);
    if (!changed) all.emplace_back(old);
  }
  all.insert(all.end(), changes.begin(), changes.end());
  return all;
}

Ending run(const Words& command, const Words& environment) {
  const Signals signals;
  Spawn spawn;
  spawn.mask(signals.before());
  pid_t child = 0;
  if (const int error = spawn.start(child, command, environment); error != 0)
    throw InputError(fmt::format("'{}' can't be started ({}). Give a launcher or a program after --.", command.front(),
                                 std::strerror(error)));
  bool interrupted = false;
  for (;;) {
    const auto info = signals.wait();
    if (info.si_signo != SIGCHLD) {
      interrupted = interrupted || (info.si_signo != SIGUSR1 && info.si_signo != SIGUSR2);
      if (info.si_code != SI_KERNEL) kill(child, info.si_signo);
      continue;
    }
    int status = 0;
    if (waitpid(child, &status, WNOHANG) != child) continue;
    auto ending = ending_of(status);
    ending.interrupted = interrupted;
    return ending;
  }
}

std::optional<std::string> output_of(const Words& command, const Words& environment, double seconds) {
  auto done = ended(command, environment, seconds, true);
  return done ? std::optional(std::move(done->first)) : std::nullopt;
}

std::optional<std::string> result_of(const Words& command, const Words& environment, double seconds) {
  auto done = ended(command, environment, seconds, false);
  return done && done->second.status == 0 ? std::optional(std::move(done->first)) : std::nullopt;
}

// fmt::print would throw if the stream is closed or full.
void say(std::string_view what) { std::fputs(fmt::format("weft run: {}\n", what).c_str(), stderr); }

void say_error(std::string_view what) { std::fputs(fmt::format("error: {}\n", what).c_str(), stderr); }

}  // namespace weft::run
