// SPDX-License-Identifier: BSD-3-Clause
//
// Runs commands and ranks on the nodes.
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "testbed/base.hpp"
#include "testbed/commands.hpp"
#include "testbed/node.hpp"
#include "testbed/rights.hpp"

namespace weft::testbed {
namespace {

volatile sig_atomic_t running = 0;

// A signal of the terminal reaches the command anyway.
void pass_on(int signal, siginfo_t* info, void*) {
  if (running > 0 && info->si_code != SI_KERNEL) kill(running, signal);
}

int node_number(const std::string& text, int nodes) {
  const auto digits = text.rfind("node", 0) == 0 ? text.substr(4) : text;
  char* end = nullptr;
  const long n = std::strtol(digits.c_str(), &end, 10);
  if (digits.empty() || *end != 0 || n < 0 || n >= nodes)
    refuse("There is no node '" + text + "'. Give node0 to node" + std::to_string(nodes - 1) + ".");
  return static_cast<int>(n);
}

}  // namespace

void enter_node(int holder, int node, bool whole) {
  char* folder = getcwd(nullptr, 0);
  int files[namespaces];
  for (int k = 0; k < namespaces; ++k) {  // open all before entering the first, which changes /proc
    const auto path = "/proc/" + std::to_string(holder) + "/fd/" + std::to_string(namespace_file(node, k));
    files[k] = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (files[k] < 0) fail_errno("Cannot open " + path);
  }
  for (int k = 0; k < (whole ? namespaces : 1); ++k)
    if (setns(files[k], 0) != 0) fail_errno("Cannot enter node" + std::to_string(node));
  if (whole && folder != nullptr && chdir(folder) != 0) fail_errno(std::string("Cannot go to ") + folder);
  std::free(folder);
}

void become(const Arguments& command) {
  std::vector<char*> pointers;
  for (const auto& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  fail_errno("Cannot run " + command[0]);
}

int execute(const Testbed& testbed, const std::string& node_name, const Arguments& command,
            const std::function<void()>& prepare) {
  const int node = node_number(node_name, testbed.nodes);
  join_rights(testbed.first);
  const int processes = open(("/proc/" + std::to_string(testbed.first) + "/ns/pid").c_str(), O_RDONLY | O_CLOEXEC);
  if (processes < 0 || setns(processes, 0) != 0) fail_errno("Cannot enter the testbed's process ids");
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  const int child = fork();
  if (child < 0) fail_errno("Cannot start a process");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // the command ends if this process is killed
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    try {
      enter_node(testbed.first, node, true);
      if (prepare) prepare();
      hand_on_rights();
      become(command);
    } catch (const Failure& e) {
      std::fprintf(stderr, "testbed: %s\n", e.what());
      _exit(e.status);
    }
  }
  running = child;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (forwarder_of(testbed.name) == 0)
    std::fprintf(stderr, "testbed: %s was killed (testbed '%s' was ended while it ran).\n", command[0].c_str(),
                 testbed.name.c_str());
  return 128 + WTERMSIG(status);
}

int agent(const Arguments& arguments) {
  std::size_t i = 0;
  while (i < arguments.size() && arguments[i].rfind('-', 0) == 0) ++i;
  if (arguments.size() < i + 2) refuse("The host or the command is missing. Use agent HOST COMMAND.");
  const int node = node_number(arguments[i], most_nodes);
  std::string line;
  while (++i < arguments.size()) line += (line.empty() ? "" : " ") + arguments[i];
  enter_node(1, node, true);  // process 1 is the first process of the testbed
  drop_rights();
  become({"/bin/sh", "-c", line});
}

int rank(const Arguments& command) {
  if (command.empty()) refuse("The program is missing. Use rank PROGRAM.");
  drop_rights();
  const char* number = nullptr;
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MPI_LOCALRANKID"})
    if (number == nullptr) number = std::getenv(variable);
  const char* pins = std::getenv("TESTBED_PIN");
  if (const char* library = std::getenv("TESTBED_PRELOAD")) {
    // After the user's libraries (weft run's, a sanitizer's), which may have to be the first.
    const char* before = std::getenv("LD_PRELOAD");
    const auto all = before == nullptr || *before == 0 ? library : std::string(before) + ":" + library;
    setenv("LD_PRELOAD", all.c_str(), 1);
  }
  if (number != nullptr) setenv("TESTBED_RANK", number, 1);
  if (number != nullptr && (pins == nullptr || std::strcmp(pins, "0") != 0)) {
    cpu_set_t allowed, one;
    CPU_ZERO(&allowed);
    CPU_ZERO(&one);
    sched_getaffinity(1, sizeof allowed, &allowed);  // not this process's own cores: the launcher may have pinned it
    const int cores = CPU_COUNT(&allowed);
    int before = cores > 0 ? std::atoi(number) % cores : 0;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed) && before-- == 0) CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  // With autogroup scheduling a nice value only counts inside a session, so the rank gets a session of its own.
  const char* priority = std::getenv("TESTBED_PRIO");
  if (priority != nullptr && std::strcmp(priority, "rt") == 0) {
    sched_param p{};
    p.sched_priority = 1;
    if (sched_setscheduler(0, SCHED_RR, &p) != 0) fail_errno("TESTBED_PRIO=rt cannot be set");
  } else if (priority != nullptr && *priority != 0) {
    setsid();
    write_file("/proc/self/autogroup", priority);
    setpriority(PRIO_PROCESS, 0, std::atoi(priority));
  }
  become(command);
}

}  // namespace weft::testbed
