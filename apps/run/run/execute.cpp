// SPDX-License-Identifier: BSD-3-Clause
#include "run/execute.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "weft/error.hpp"

extern char** environ;

namespace weft::run {
namespace {

namespace fs = std::filesystem;

// A command's words and variables as the system wants them.
class Call {
 public:
  Call(const Words& words, const Variables& variables) : words_(words) {
    for (char** e = environ; *e != nullptr; ++e) {
      const std::string entry = *e;
      const auto name = entry.substr(0, entry.find('='));
      bool is_set = false;
      for (const auto& [other, value] : variables) is_set = is_set || other == name;
      if (!is_set) set_.push_back(entry);
    }
    for (const auto& [name, value] : variables) set_.push_back(name + "=" + value);
    for (auto& word : words_) arguments.push_back(word.data());
    for (auto& entry : set_) environment.push_back(entry.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
  }
  std::vector<char*> arguments, environment;

 private:
  Words words_, set_;
};

volatile pid_t child = 0;

// The terminal gives its signals to the whole group, the command among it; only others are passed on.
void pass_on(int signal, siginfo_t* info, void*) {
  const bool by_terminal = info != nullptr && info->si_code > 0;
  if (child > 0 && !by_terminal) kill(child, signal);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Ending ending_of(int state) {
  if (WIFSIGNALED(state)) return {128 + WTERMSIG(state), WTERMSIG(state)};
  return {WEXITSTATUS(state), 0};
}

}  // namespace

Ending execute(const Words& words, const Variables& variables) {
  Call call(words, variables);
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  pid_t started = 0;
  const int wrong =
      posix_spawnp(&started, call.arguments[0], nullptr, nullptr, call.arguments.data(), call.environment.data());
  if (wrong != 0)
    throw InputError(
        fmt::format("'{}' can't be started ({}). Correct what stands behind --.", words[0], std::strerror(wrong)));
  child = started;
  int state = 0;
  while (waitpid(started, &state, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  return ending_of(state);
}

std::string output_of(const Words& words, double seconds, const Variables& variables) {
  Call call(words, variables);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t asked = 0;
  const bool runs =
      posix_spawnp(&asked, call.arguments[0], &actions, nullptr, call.arguments.data(), call.environment.data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  const double until = now() + seconds;
  while (runs) {
    pollfd look{ends[0], POLLIN, 0};
    const double left = until - now();
    if (left <= 0 || poll(&look, 1, static_cast<int>(1e3 * left) + 1) == 0) {
      kill(asked, SIGKILL);
      break;
    }
    char piece[4096];
    const auto n = read(ends[0], piece, sizeof piece);
    if (n == 0 || (n < 0 && errno != EINTR)) break;
    if (n > 0) text.append(piece, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  if (runs) waitpid(asked, nullptr, 0);
  return text;
}

std::string path_of(const std::string& word) {
  const auto runs = [](const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
  };
  if (word.find('/') != std::string::npos) return runs(word) ? word : std::string();
  const char* all = std::getenv("PATH");
  std::string rest = all == nullptr ? "" : all;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto path = fs::path(rest.substr(0, end)) / word;
    if (end > 0 && runs(path)) return path.string();
    rest.erase(0, end + 1);
  }
  return {};
}

}  // namespace weft::run
