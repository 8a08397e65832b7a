// SPDX-License-Identifier: BSD-3-Clause
#include "program/pictures.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

extern char** environ;

namespace weft::program {
namespace {

std::string interpreter() {
  if (const char* python = std::getenv("WEFT_PYTHON")) return python;
  if (std::filesystem::exists(".venv/bin/python")) return ".venv/bin/python";
  return "python3";
}

}  // namespace

std::vector<std::filesystem::path> make_pictures(const std::filesystem::path& directory, const std::string& title) {
  const auto python = interpreter();
  const auto folder = directory.string();
  const std::array<const char*, 7> words{python.c_str(), "-m",          "weft.pictures", folder.c_str(),
                                         "--title",      title.c_str(), nullptr};
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int spawned =
      posix_spawnp(&child, python.c_str(), &actions, nullptr, const_cast<char* const*>(words.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string said;
  std::array<char, 4096> chunk{};
  if (spawned == 0)
    for (ssize_t n = 0; (n = read(ends[0], chunk.data(), chunk.size())) > 0;)
      said.append(chunk.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 1;
  if (spawned == 0) waitpid(child, &status, 0);
  if (spawned != 0 || status != 0) {
    std::fprintf(stderr, "warning: no pictures were made (%s -m weft.pictures %s failed). `make python` installs it.\n",
                 python.c_str(), folder.c_str());
    return {};
  }
  std::vector<std::filesystem::path> files;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);)
    if (std::filesystem::exists(line)) files.emplace_back(line);
  return files;
}

}  // namespace weft::program
