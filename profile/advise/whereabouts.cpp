// SPDX-License-Identifier: BSD-3-Clause
#include "advise/whereabouts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace weft::advise {
namespace {

std::string line_of(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// The start time of a process, in ticks since the boot; 0: there is no such process.
std::uint64_t start_of(int pid) {
  const auto line = line_of("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = line.rfind(')');
  if (name_end == line.npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state, field;
  fields >> state;
  if (state == "Z" || state == "X") return 0;
  for (int i = 4; i <= 21; ++i) fields >> field;
  std::uint64_t started = 0;
  fields >> started;
  return started;
}

std::string boot_of_this_machine() { return line_of("/proc/sys/kernel/random/boot_id"); }

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

ProcessMark ProcessMark::of_this() {
  ProcessMark mark;
  mark.pid = static_cast<std::int32_t>(getpid());
  mark.started = start_of(mark.pid);
  std::snprintf(mark.boot, sizeof mark.boot, "%s", boot_of_this_machine().c_str());
  gethostname(mark.host, sizeof mark.host - 1);
  // A long path is of no use if its end is missing, so it is left out then.
  if (readlink("/proc/self/exe", mark.program, sizeof mark.program) == sizeof mark.program) mark.program[0] = 0;
  return mark;
}

bool ProcessMark::is_on_this_machine() const { return *boot != 0 && boot_of_this_machine() == boot; }

bool lock_file(int file) {
  auto lock = whole_file();
  return fcntl(file, F_SETLK, &lock) == 0;
}

Whereabouts::Process process_of(const ProcessMark& mark, const std::string& file) {
  using Process = Whereabouts::Process;
  // The lock also shows processes of other machines and of containers, if the file system has locks.
  if (const int opened = open(file.c_str(), O_RDWR | O_CLOEXEC); opened >= 0 && mark.locks != 0) {
    auto lock = whole_file();
    const bool locked = fcntl(opened, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(opened);
    if (locked) return Process::runs;
  } else if (opened >= 0) {
    close(opened);
  }
  if (!mark.is_on_this_machine()) return Process::elsewhere;
  return mark.started != 0 && start_of(mark.pid) == mark.started ? Process::runs : Process::ended;
}

}  // namespace weft::advise
