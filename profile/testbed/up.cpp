// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbed/base.hpp"
#include "testbed/commands.hpp"
#include "testbed/forwarder.hpp"
#include "testbed/node.hpp"
#include "testbed/rights.hpp"

namespace weft::testbed {

struct ServeOptions {
  int listener = -1;  ///< socket for requests
  int first = 0;      ///< a child process; the forwarder ends with it
  int guardian = 0;   ///< it ends with this process, 0: none
  int seconds = 0;    ///< lifetime, 0: no limit
  bool real_time = true;
  std::function<void()> is_up;  ///< called once, when packets are forwarded
};

/// Forwards packets of both networks and answers requests, which concern the first network, until it is requested to
/// end, or until `first`, the guardian or its lifetime ends. Returns a status.
int serve(Forwarder& forwarder, Forwarder& launch_forwarder, const ServeOptions& options);

/// Processes that run only part of the time: they are stopped and continued every 20 ms.
class Slowed {
 public:
  /// Lets process `id` run for 1 / factor of the time; 1: without stops. False if there is no such process.
  bool slow(int id, double factor);
  /// Stops and continues the processes that are due. Returns the time of the next event, or -1.
  std::int64_t advance();

 private:
  struct Process {
    int id, file;  // a pidfd, which never refers to a later process with the same id
    std::int64_t running_ns;
    bool stopped;
    std::int64_t next;
  };
  void forget(std::size_t index);
  std::vector<Process> processes_;
};

namespace {

constexpr std::int64_t period_ns = 20'000'000;

bool tell(int file, int signal) { return syscall(424 /* pidfd_send_signal */, file, signal, nullptr, 0) == 0; }

}  // namespace

void Slowed::forget(std::size_t index) {
  tell(processes_[index].file, SIGCONT);
  close(processes_[index].file);
  processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(index));
}

bool Slowed::slow(int id, double factor) {
  for (std::size_t i = processes_.size(); i-- > 0;)
    if (processes_[i].id == id) forget(i);
  const int file = pidfd_open(id);
  if (file < 0) return false;
  if (factor > 1)
    processes_.push_back(
        {id, file, static_cast<std::int64_t>(static_cast<double>(period_ns) / factor), false, now_ns()});
  else
    close(file);
  return true;
}

std::int64_t Slowed::advance() {
  const auto now = now_ns();
  std::int64_t next = -1;
  for (std::size_t i = processes_.size(); i-- > 0;) {
    auto& p = processes_[i];
    if (p.next <= now) {
      if (!tell(p.file, p.stopped ? SIGCONT : SIGSTOP)) {  // it has ended
        forget(i);
        continue;
      }
      p.stopped = !p.stopped;
      p.next = now + (p.stopped ? period_ns - p.running_ns : p.running_ns);
    }
    next = next < 0 ? p.next : std::min(next, p.next);
  }
  return next;
}

namespace {

class Server {
 public:
  Server(Forwarder& forwarder, Forwarder& launch_forwarder, const ServeOptions& options)
      : forwarder_(forwarder), launch_forwarder_(launch_forwarder), nodes_(forwarder.devices().size()),
        options_(options), events_(epoll_create1(EPOLL_CLOEXEC)) {
    if (events_ < 0) fail_errno("Cannot make an epoll");
    for (std::size_t i = 0; i < nodes_; ++i) {
      watch(forwarder.devices()[i], static_cast<int>(i));
      watch(launch_forwarder.devices()[i], static_cast<int>(nodes_ + i));
    }
    watch(timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), due);
    watch(options.listener, request);
    watch(pidfd_open(options.first), end);
    if (options.guardian > 0) watch(pidfd_open(options.guardian), end);
    sigset_t signals;
    sigemptyset(&signals);
    for (int s : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, s);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    watch(signalfd(-1, &signals, SFD_CLOEXEC), end);
    if (options.seconds > 0) {
      const int life = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
      itimerspec at{};
      at.it_value.tv_sec = options.seconds;
      timerfd_settime(life, 0, &at, nullptr);
      watch(life, end);
    }
  }

  void run() {
    while (!ends_) {
      epoll_event some[16];
      const int n = epoll_wait(events_, some, 16, -1);
      for (int i = 0; i < n; ++i) handle(some[i].data.fd);
      arm();
    }
  }

 private:
  enum Tag { due = -1, request = -2, end = -3, first_client = -4 };  // and below: the client on file first_client - tag

  void watch(int file, int tag) {
    epoll_event e{};
    e.events = EPOLLIN;
    e.data.fd = tag;
    if (file < 0 || epoll_ctl(events_, EPOLL_CTL_ADD, file, &e) != 0)
      fail_errno("Cannot watch a file of the forwarder");
  }

  void handle(int tag) {
    if (tag <= first_client) return serve_client(first_client - tag);
    std::uint64_t times;
    switch (tag) {
      case due:
        if (read(timer_, &times, sizeof times) > 0 && armed_ > 0) forwarder_.woke_late_by(now_ns() - armed_);
        armed_ = -1;
        break;
      case request: accept_one(); break;
      case end: ends_ = true; break;
      default: {
        const auto device = static_cast<std::size_t>(tag);
        device < nodes_ ? forwarder_.ingest(device) : launch_forwarder_.ingest(device - nodes_);
      }
    }
  }

  void arm() {
    std::int64_t next = -1;
    for (const auto one : {forwarder_.advance(), launch_forwarder_.advance(), slowed_.advance()})
      if (one > 0 && (next < 0 || one < next)) next = one;
    if (next < 0 || next == armed_) return;
    itimerspec at{};
    at.it_value.tv_sec = next / nanoseconds;
    at.it_value.tv_nsec = next % nanoseconds;
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
    armed_ = next;
  }

  void accept_one() {
    const int s = accept4(options_.listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (s >= 0) watch(s, first_client - s);  // the client is served when it sends
  }

  void serve_client(int s) {
    ucred who{};
    socklen_t bytes = sizeof who;
    getsockopt(s, SOL_SOCKET, SO_PEERCRED, &who, &bytes);
    char text[256];
    const auto n = read(s, text, sizeof text - 1);
    if (n > 0) {
      text[n] = 0;
      const auto reply = who.uid == 0 || who.uid == geteuid()
                             ? answer(text)
                             : "error: Another user has started this testbed. Run the command as that user.\n";
      (void)!send(s, reply.data(), reply.size(), MSG_NOSIGNAL);
    }
    close(s);
  }

  std::string answer(const std::string& text) {
    long long a = 0, b = 0, c = 0;
    int id = 0;
    double factor = 1;
    std::size_t node = 0;
    if (text == "who")
      return "forwarder " + std::to_string(getpid()) + " first " + std::to_string(options_.first) + " nodes " +
             std::to_string(nodes_) + "\n";
    if (text == "stats") return forwarder_.stats();
    if (text == "reset") return forwarder_.reset_counters(), "ok\n";
    if (text == "down") return ends_ = true, "ok\n";
    if (text == "links") {
      const auto& l = forwarder_.links();
      return std::to_string(l.latency) + " " + std::to_string(l.rate) + " " + std::to_string(l.jitter) + "\n";
    }
    if (std::sscanf(text.c_str(), "set %lld %lld %lld", &a, &b, &c) == 3) return forwarder_.set({a, b, c}), "ok\n";
    if (std::sscanf(text.c_str(), "stall %zu %lld", &node, &a) == 2 && node < nodes_)
      return forwarder_.stall(node, a), "ok\n";
    if (std::sscanf(text.c_str(), "slow %d %lf", &id, &factor) == 2)
      return slowed_.slow(id, factor) ? "ok\n" : "error: The process of this rank has ended.\n";
    return "error: The forwarder does not know this request.\n";
  }

  Forwarder &forwarder_, &launch_forwarder_;
  std::size_t nodes_;
  const ServeOptions& options_;
  Slowed slowed_;
  int events_, timer_ = -1;
  std::int64_t armed_ = -1;
  bool ends_ = false;
};

}  // namespace

int serve(Forwarder& forwarder, Forwarder& launch_forwarder, const ServeOptions& options) {
  Server server(forwarder, launch_forwarder, options);
  sched_param priority{};  // to be on time even if all cores compute
  priority.sched_priority = 10;
  if (!options.real_time || sched_setscheduler(0, SCHED_FIFO, &priority) != 0) setpriority(PRIO_PROCESS, 0, -20);
  mlockall(MCL_CURRENT);
  options.is_up();
  server.run();
  kill(options.first, SIGKILL);
  waitpid(options.first, nullptr, 0);  // until all processes on the nodes have ended
  return 0;
}

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
  drop_rights();  // so that all processes of this user may read its files, by which they enter nodes
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

int be_forwarder(const std::string& name, const UpOptions& options, unsigned ready) {
  setsid();
  // Files of its parents, which may wait for their end, or have the numbers of the nodes' files.
  for (const auto& [from, to] : {std::pair(3u, ready - 1u), std::pair(ready + 1u, ~0u)})
    if (from <= to) syscall(436 /* close_range */, from, to, 0);
  const int listener = listen_as(name);
  if (listener < 0)
    refuse("Testbed '" + name + "' is up already. End it with weft testbed down, or set TESTBED_NAME to another name.");
  gain_rights();
  rlimit files{};  // of which each node takes six
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
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
                  (void)!write(static_cast<int>(ready), "+", 1);
                  close(static_cast<int>(ready));
                  silence();
                }});
}

}  // namespace

int up(const std::string& name, const Arguments& arguments) {
  const auto options = parse_up(arguments);
  if (access("/dev/net/tun", R_OK | W_OK) != 0)
    refuse(std::string("No network can be emulated (/dev/net/tun: ") + std::strerror(errno) + "). " +
           (errno == EACCES ? "Let root run chmod 666 /dev/net/tun."
                            : "Let root run modprobe tun; start a container with --device /dev/net/tun."));
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) fail_errno("Cannot make a pipe");
  const int child = fork();
  if (child < 0) fail_errno("Cannot start a process");
  if (child == 0) {
    close(ready[0]);
    try {
      _exit(be_forwarder(name, options, static_cast<unsigned>(ready[1])));
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
