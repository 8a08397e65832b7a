// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>

#include "testbed/commands.hpp"
#include "testbed/control.hpp"
#include "testbed/node.hpp"
#include "testbed/options.hpp"
#include "testbed/serve.hpp"

namespace weft::testbed {
namespace {

void silence() {
  const int nothing = open("/dev/null", O_RDWR);
  for (int file : {0, 1, 2}) dup2(nothing, file);
  if (nothing > 2) close(nothing);
}

// The first process in the testbed's process id namespace. When the forwarder ends, for whatever reason, the kernel
// kills this process, and with it all processes on the nodes. It holds the namespaces open for programs that start
// something on another node.
[[noreturn]] void be_first(const UpOptions& options, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGCHLD, SIG_IGN);  // it inherits orphans of the nodes, whose status is not needed
  for (int file = 3; file < namespace_file(0, 0); ++file)
    if (file != ready) close(file);
  try {
    for (int i = 0; i < options.nodes; ++i) {
      if (setns(namespace_file(i, static_cast<int>(Namespace::mnt)), 0) != 0) fail_errno("Cannot enter a node");
      mount_proc();
    }
  } catch (const Failure& e) {
    std::fprintf(stderr, "testbed: %s\n", e.what());
    _exit(e.status);
  }
  silence();
  (void)!write(ready, "+", 1);
  close(ready);
  for (;;) pause();
}

int start_first(const UpOptions& options) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) fail_errno("Cannot make a pipe");
  if (unshare(CLONE_NEWPID) != 0) fail_errno("Cannot make a namespace of process ids");
  const int first = fork();
  if (first < 0) fail_errno("Cannot start a process");
  if (first == 0) be_first(options, ready[1]);
  close(ready[1]);
  char byte = 0;
  if (read(ready[0], &byte, 1) != 1) throw Failure("The nodes could not be set up.", 1);
  close(ready[0]);
  return first;
}

int be_forwarder(const std::string& name, const UpOptions& options, int ready) {
  setsid();
  const int listener = listen_as(name);
  if (listener < 0)
    refuse("Testbed '" + name +
           "' is up already. End it with tools/testbed down, or set TESTBED_NAME to another name.");
  const Home home;
  std::vector<int> devices, launch_devices;
  for (int i = 0; i < options.nodes; ++i) {
    const auto made = make_node(i, options.nodes, options.node);
    devices.push_back(made[0]);
    launch_devices.push_back(made[1]);
    home.enter();
  }
  if (chdir("/") != 0) fail_errno("Cannot go to /");
  const int first = start_first(options);
  Forwarder forwarder(devices, networks[0].subnet, options.links, options.seed);
  Forwarder launch_forwarder(launch_devices, networks[1].subnet, {.latency = 0, .rate = 0}, 0);
  return serve(forwarder, launch_forwarder,
               {.listener = listener,
                .first = first,
                .guardian = options.guardian,
                .seconds = options.seconds,
                .real_time = options.real_time,
                .is_up = [&] {
                  (void)!write(ready, "+", 1);
                  close(ready);
                  silence();
                }});
}

}  // namespace

int up(const std::string& name, const Arguments& arguments) {
  const auto options = parse_up(arguments);
  if (geteuid() != 0)
    refuse(
        "tools/testbed up must be run by root (namespaces and network cards need CAP_SYS_ADMIN and CAP_NET_ADMIN). Use "
        "sudo.");
  if (access("/dev/net/tun", R_OK | W_OK) != 0) fail_errno("/dev/net/tun can't be used");
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) fail_errno("Cannot make a pipe");
  const int child = fork();
  if (child < 0) fail_errno("Cannot start a process");
  if (child == 0) {
    close(ready[0]);
    try {
      _exit(be_forwarder(name, options, ready[1]));
    } catch (const Failure& e) {
      std::fprintf(stderr, "testbed: %s\n", e.what());
      _exit(e.status);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "testbed: %s\n", e.what());
      _exit(1);
    }
  }
  close(ready[1]);
  char byte = 0;
  if (read(ready[0], &byte, 1) == 1) return 0;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace weft::testbed
