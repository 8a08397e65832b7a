// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "weft/clock.hpp"

namespace weft::doctor {
namespace {

// A launcher that finds these variables behaves as a rank of the surrounding job.
constexpr std::array of_a_job{"OMPI_COMM_WORLD_", "OMPI_UNIVERSE_", "PMI_", "PMIX_", "PRTE_JOBID", "PRTE_MCA_prte_ess"};

void forget_job() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry)
    for (const std::string_view prefix : of_a_job)
      if (std::string_view(*entry).starts_with(prefix)) names.emplace_back(*entry, strcspn(*entry, "="));
  for (const auto& name : names) unsetenv(name.c_str());
}

[[noreturn]] void become(const std::vector<std::string>& words, const Variables& environment, int out, int err) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // if weft doctor ends, its children end too
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(out, 1);
  dup2(err, 2);
  forget_job();
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// Reads what is available; false at the end of the stream.
bool take(int fd, std::string& text) {
  std::array<char, 4096> some;
  const ssize_t n = read(fd, some.data(), some.size());
  if (n > 0) text.append(some.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

std::string printable(std::string line) {
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  return line;
}

// The first paragraph as one line, without the frames that Open MPI draws around it.
std::string first_paragraph(const std::string& text) {
  std::string paragraph;
  std::istringstream lines(text);
  for (std::string line; paragraph.size() < 300 && std::getline(lines, line);) {
    const bool empty = line.find_first_not_of("-=* \t\r") == std::string::npos;
    if (empty && !paragraph.empty()) break;
    if (!empty) paragraph += (paragraph.empty() ? "" : " ") + line;
  }
  return printable(paragraph.size() > 300 ? paragraph.substr(0, 300) + " ..." : paragraph);
}

}  // namespace

std::string Ended::why() const {
  if (timed_out) return reason();
  for (const auto* text : {&err, &out})
    if (const std::string said = first_paragraph(*text); !said.empty()) return said;
  return reason();
}

std::string Ended::reason() const {
  if (timed_out) return "did not end in time";
  if (status == 127) return "could not be started";
  return status > 128 ? fmt::format("ended by signal {}", status - 128) : fmt::format("ended with status {}", status);
}

Ended run(const std::vector<std::string>& words, double seconds, const Variables& environment) {
  Ended ended;
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0) return ended;
  if (pipe2(err, O_CLOEXEC) != 0) {
    close(out[0]), close(out[1]);
    return ended;
  }
  const pid_t child = fork();
  if (child == 0) become(words, environment, out[1], err[1]);
  close(out[1]), close(err[1]);
  std::array<pollfd, 2> ends{{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}}};
  std::array<std::string*, 2> texts{&ended.out, &ended.err};
  double end = now_seconds() + seconds;
  int status = 0;
  bool gone = child < 0, killed = false;
  while (!gone || ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (!gone && waitpid(child, &status, WNOHANG) == child) {
      gone = true;
      end = std::min(end, now_seconds() + 0.2);  // other processes may still hold the pipes open
    }
    if (now_seconds() > end) {
      if (gone || killed) break;
      ended.timed_out = true;
      killpg(child, SIGTERM);  // a launcher ends its ranks
      end = now_seconds() + 0.5;
      killed = true;
      continue;
    }
    if (poll(ends.data(), ends.size(), 10) > 0)
      for (std::size_t i = 0; i < ends.size(); ++i)
        if (ends[i].revents != 0 && !take(ends[i].fd, *texts[i])) ends[i].fd = -1;
  }
  if (!gone) {
    killpg(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  close(out[0]), close(err[0]);
  if (child > 0) ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

}  // namespace weft::doctor
