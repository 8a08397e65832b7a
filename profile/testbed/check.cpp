// SPDX-License-Identifier: BSD-3-Clause
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "testbed/base.hpp"
#include "testbed/commands.hpp"
#include "testbed/node.hpp"
#include "testbed/rights.hpp"

namespace weft::testbed {
namespace {

constexpr int pings = 50;
constexpr std::size_t chunk_bytes = 1 << 20;
constexpr std::int64_t least_bytes = 8 << 20;
constexpr unsigned timeout_seconds = 60;

bool move_all(int s, char* data, std::size_t bytes, bool sends) {
  while (bytes > 0) {
    const ssize_t n = sends ? send(s, data, bytes, MSG_NOSIGNAL) : recv(s, data, bytes, 0);
    if (n <= 0) return false;
    data += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

int tcp_socket() {
  const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0) fail_errno("Cannot open a socket");
  const int one = 1;
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);  // accepted sockets inherit it
  return s;
}

sockaddr_in node1() {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(7777);
  a.sin_addr.s_addr = htonl(networks[0].subnet + 2);
  return a;
}

// Echoes 8 bytes, then receives streams (each begins with its size) and acknowledges each with 8 bytes.
int be_server(int ready) {
  const int listener = tcp_socket();
  const auto address = node1();
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listener, 1) != 0)
    fail_errno("Cannot listen");
  (void)!write(ready, "+", 1);
  const int s = accept(listener, nullptr, nullptr);
  std::vector<char> data(chunk_bytes);
  for (int i = 0; i < pings; ++i)
    if (!move_all(s, data.data(), 8, false) || !move_all(s, data.data(), 8, true)) return 1;
  std::int64_t bytes = 0;
  while (move_all(s, reinterpret_cast<char*>(&bytes), 8, false)) {
    for (; bytes > 0; bytes -= static_cast<std::int64_t>(chunk_bytes))
      if (!move_all(s, data.data(), chunk_bytes, false)) return 1;
    if (!move_all(s, data.data(), 8, true)) return 1;
  }
  return 0;
}

int be_client() {
  const int s = tcp_socket();
  const auto address = node1();
  if (connect(s, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail_errno("Cannot connect");
  std::vector<char> data(chunk_bytes);
  const auto lost = [](bool there) {
    if (!there) throw Failure("The connection between node0 and node1 was lost.", 1);
  };
  std::vector<std::int64_t> times;
  for (int i = 0; i < pings; ++i) {
    const auto from = now_ns();
    lost(move_all(s, data.data(), 8, true) && move_all(s, data.data(), 8, false));
    times.push_back(now_ns() - from);
  }
  std::sort(times.begin(), times.end());
  std::printf("half round trip, 8 bytes: median %.1f us, least %.1f us\n", static_cast<double>(times[pings / 2]) / 2e3,
              static_cast<double>(times[0]) / 2e3);
  const auto stream = [&](std::int64_t bytes) {
    const auto from = now_ns();
    lost(move_all(s, reinterpret_cast<char*>(&bytes), 8, true));
    for (auto left = bytes; left > 0; left -= static_cast<std::int64_t>(chunk_bytes))
      lost(move_all(s, data.data(), chunk_bytes, true));
    lost(move_all(s, data.data(), 8, false));
    return now_ns() - from;
  };
  auto bytes = static_cast<std::int64_t>(chunk_bytes);
  auto took = stream(bytes);  // warm-up, unless the rate is very low
  if (took < 3 * nanoseconds) took = stream(bytes = least_bytes);
  while (took < nanoseconds / 5) took = stream(bytes *= 2);
  std::printf("stream of %lld bytes: %.2f Mbit/s\n", static_cast<long long>(bytes),
              static_cast<double>(bytes) * 8e3 / static_cast<double>(took));
  return 0;
}

}  // namespace

int check(const std::string& name) {
  const auto testbed = find(name);
  if (testbed.nodes < 2) refuse("There are fewer than two nodes. Start them with weft testbed up 2.");
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) fail_errno("Cannot make a pipe");
  sched_param priority{};  // so that other processes do not disturb the measurement
  priority.sched_priority = 1;
  (void)sched_setscheduler(0, SCHED_RR, &priority);
  const int child = fork();
  if (child < 0) fail_errno("Cannot start a process");
  alarm(timeout_seconds);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(timeout_seconds);
    close(ready[0]);
    try {
      join_rights(testbed.first);
      enter_node(testbed.first, 1, false);
      _exit(be_server(ready[1]));
    } catch (const Failure& e) {
      std::fprintf(stderr, "testbed: %s\n", e.what());
      _exit(1);
    }
  }
  close(ready[1]);
  char byte = 0;
  if (read(ready[0], &byte, 1) != 1) throw Failure("'check' could not start its server on node1.", 1);
  join_rights(testbed.first);
  enter_node(testbed.first, 0, false);
  const int status = be_client();  // its end closes the connection, which ends the server on node1
  return status;
}

}  // namespace weft::testbed
