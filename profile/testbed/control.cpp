// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/commands.hpp"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "testbed/base.hpp"

namespace weft::testbed {
namespace {

// The address of a testbed's socket, in the abstract namespace (its path begins with a zero).
struct Address {
  sockaddr_un where{};
  socklen_t bytes;

  explicit Address(const std::string& name) {
    const auto path = "weft-testbed/" + name;
    if (path.size() + 1 > sizeof where.sun_path) refuse("The name '" + name + "' is too long. Give a shorter one.");
    where.sun_family = AF_UNIX;
    std::memcpy(where.sun_path + 1, path.data(), path.size());
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&where); }
};

// A connected socket, or -1.
int connect_to(const std::string& name) {
  const Address address(name);
  const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0) fail_errno("Cannot open a socket");
  const timeval timeout{10, 0};
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (connect(s, address.get(), address.bytes) == 0) return s;
  close(s);
  return -1;
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int parent_of(int id) {
  const auto stat = read_all("/proc/" + std::to_string(id) + "/stat");
  const auto end = stat.rfind(')');
  int parent = 0;
  if (end != std::string::npos) std::sscanf(stat.c_str() + end + 1, " %*c %d", &parent);
  return parent;
}

}  // namespace

int listen_as(const std::string& name) {
  const Address address(name);
  const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s < 0) fail_errno("Cannot open a socket");
  if (bind(s, address.get(), address.bytes) != 0) {
    if (errno != EADDRINUSE) fail_errno("Cannot bind a socket");
    close(s);
    return -1;
  }
  if (listen(s, 8) != 0) fail_errno("Cannot listen");
  return s;
}

int forwarder_of(const std::string& name) {
  const int s = connect_to(name);
  if (s < 0) return 0;
  ucred who{};
  socklen_t bytes = sizeof who;
  const bool known = getsockopt(s, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0;
  close(s);
  return known ? who.pid : 0;
}

std::string ask(const std::string& name, const std::string& request) {
  const int s = connect_to(name);
  if (s < 0) refuse("There is no testbed '" + name + "'. Start it with weft testbed up NODES.");
  std::string answer;
  char piece[4096];
  ssize_t n = send(s, request.data(), request.size(), MSG_NOSIGNAL);
  while (n > 0 && (n = read(s, piece, sizeof piece)) > 0) answer.append(piece, static_cast<std::size_t>(n));
  close(s);
  if (answer.empty()) refuse("The forwarder of testbed '" + name + "' does not answer. End it with weft testbed down.");
  if (answer.rfind("error: ", 0) == 0) refuse(answer.substr(7, answer.find('\n') - 7));
  return answer;
}

Testbed find(const std::string& name) {
  Testbed t{name, 0, 0, 0};
  if (std::sscanf(ask(name, "who").c_str(), "forwarder %d first %d nodes %d", &t.forwarder, &t.first, &t.nodes) != 3)
    refuse("Testbed '" + name + "' was started by another version. End it with weft testbed down.");
  return t;
}

std::vector<RankProcess> rank_processes(const Testbed& testbed) {
  struct stat ours {};
  if (stat(("/proc/" + std::to_string(testbed.first) + "/ns/pid").c_str(), &ours) != 0) return {};
  std::map<int, int> rank_of;  // by process id
  DIR* folder = opendir("/proc");
  if (folder == nullptr) fail_errno("Cannot read /proc");
  while (const dirent* entry = readdir(folder)) {
    const int id = std::atoi(entry->d_name);
    const auto path = "/proc/" + std::to_string(id);
    struct stat its {};
    if (id <= 0 || stat((path + "/ns/pid").c_str(), &its) != 0 || its.st_ino != ours.st_ino) continue;
    const auto environment = '\0' + read_all(path + "/environ");
    const std::string key = std::string("\0", 1) + "TESTBED_RANK=";
    const auto at = environment.find(key);
    if (at != std::string::npos) rank_of[id] = std::atoi(environment.c_str() + at + key.size());
  }
  closedir(folder);
  std::vector<RankProcess> result;
  for (const auto& [id, rank] : rank_of) {
    const auto parent = rank_of.find(parent_of(id));  // child processes of a rank are not the rank
    if (parent == rank_of.end() || parent->second != rank) result.push_back({rank, id});
  }
  return result;
}

}  // namespace weft::testbed
