// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/serve.hpp"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

#include "testbed/base.hpp"
#include "testbed/slowed.hpp"

namespace weft::testbed {
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
      const auto reply = who.uid == 0 ? answer(text) : "error: This request must come from root. Use sudo.\n";
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

}  // namespace weft::testbed
