// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "weft/error.hpp"

namespace weft::bench {

std::filesystem::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = std::filesystem::path(folder) / name; ::access(file.c_str(), X_OK) == 0) return file;
  return {};
}

int run_program(const std::vector<std::string>& command, const std::filesystem::path& output) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &all);
  const pid_t child = ::fork();
  if (child < 0) throw Error(command.front() + " can't be started (no process could be created).");
  if (child == 0) {  // only system calls, since the parent has threads
    ::sched_setaffinity(0, sizeof all, &all);
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ::dup2(file, 1) < 0) ::_exit(127);
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace weft::bench
