// SPDX-License-Identifier: BSD-3-Clause
#include "program/pictures.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "program/await_root.hpp"

extern char** environ;

namespace weft::program {
namespace {

// .venv at the root of the source tree if the program lies in ROOT/build/PRESET/weft and the owner of the program also
// owns .venv. For an installed program, the folder three levels above is not weft's.
std::optional<std::string> of_build_tree() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto folder = program.parent_path(), venv = folder.parent_path().parent_path() / ".venv";
  const auto python = venv / "bin/python";
  struct stat of_program {
  }, of_venv{};
  if (error || !std::filesystem::exists(folder / "CMakeCache.txt", error) || !std::filesystem::exists(python, error) ||
      ::stat(program.c_str(), &of_program) != 0 || ::lstat(venv.c_str(), &of_venv) != 0 ||
      of_program.st_uid != of_venv.st_uid)
    return {};
  return python.string();
}

std::string interpreter() {
  if (const char* python = std::getenv("WEFT_PYTHON"); python != nullptr && *python != 0) return python;
  return of_build_tree().value_or("python3");
}

std::vector<std::filesystem::path> draw(const std::filesystem::path& directory, const std::string& title) {
  const auto python = interpreter();
  const auto folder = directory.string();
  // As `-m`, but no module of the current folder takes the place of an installed one. (`-I` would also leave out
  // packages of the user and of PYTHONPATH.)
  constexpr auto script =
      "import sys\n"
      "if sys.path[:1] == ['']: del sys.path[0]\n"
      "import runpy\n"
      "runpy.run_module('weft.pictures', run_name='__main__', alter_sys=True)\n";
  const std::array<const char*, 7> words{python.c_str(), "-c",          script, folder.c_str(),
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
    std::fprintf(
        stderr,
        "warning: No pictures were made (%s -m weft.pictures %s failed). %s, or set WEFT_PYTHON to a Python that "
        "has it.\n",
        python.c_str(), folder.c_str(),
        std::getenv("WEFT_TOOLS") != nullptr ? "Install weft-mpi[plots] with pip"
                                             : "Install the module with `make python`");
    return {};
  }
  std::vector<std::filesystem::path> files;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);)
    if (std::filesystem::exists(line)) files.emplace_back(line);
  return files;
}

}  // namespace

void print_written(Transport& world, std::vector<std::filesystem::path> files, bool pictures,
                   const std::filesystem::path& directory, const std::string& title) {
  std::fflush(stdout);
  if (pictures) {
    std::vector<std::filesystem::path> drawn;
    await_root(world, [&] { drawn = draw(directory, title); });
    files.insert(files.end(), drawn.begin(), drawn.end());
  }
  if (world.rank() != 0) return;
  std::printf("written:\n");
  for (const auto& file : files) std::printf("  %s\n", file.c_str());
}

}  // namespace weft::program
