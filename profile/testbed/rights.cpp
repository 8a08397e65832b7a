// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/rights.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "testbed/base.hpp"

namespace weft::testbed {
namespace {

constexpr std::uint64_t of_network = 1ull << CAP_SYS_ADMIN | 1ull << CAP_NET_ADMIN;
constexpr int of_nodes[] = {CAP_SYS_ADMIN, CAP_SYS_CHROOT};  // to enter a node's namespaces

struct Capabilities {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct low_high[2] = {};

  bool read() { return syscall(SYS_capget, &header, low_high) == 0; }
  bool write() { return syscall(SYS_capset, &header, low_high) == 0; }
  std::uint64_t effective() const { return std::uint64_t{low_high[1].effective} << 32 | low_high[0].effective; }
};

bool is_setting(const char* file, int value) {
  std::ifstream stream(file);
  int its = value + 1;
  return stream >> its && its == value;
}

}  // namespace

std::string advice_on_rights() {
  const std::string let = " Run it as root, or let root set ";
  if (geteuid() == 0) return " In a container, start it with --privileged.";
  if (is_setting("/proc/sys/user/max_user_namespaces", 0))
    return let + "user.max_user_namespaces to 10000 (sysctl -w).";
  if (is_setting("/proc/sys/kernel/unprivileged_userns_clone", 0))
    return let + "kernel.unprivileged_userns_clone to 1 (sysctl -w).";
  if (is_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1))
    return let + "kernel.apparmor_restrict_unprivileged_userns to 0 (sysctl -w).";
  return " Run it as root. In a container, also start that with --privileged.";
}

void gain_rights() {
  Capabilities now;
  if (now.read() && (now.effective() & of_network) == of_network) return;
  const auto map = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
  const auto user = map(geteuid()), group = map(getegid()), advice = advice_on_rights();
  // The namespaces below are those to which the forwarder returns from a node, so they must be of the user namespace.
  if (unshare(CLONE_NEWUSER) == 0 && write_file("/proc/self/setgroups", "deny") &&
      write_file("/proc/self/uid_map", user) && write_file("/proc/self/gid_map", group) &&
      unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS) == 0)
    return;
  const int error = errno;
  refuse(std::string("No network can be emulated (this user may not make namespaces: ") + std::strerror(error) + ")." +
         advice);
}

void join_rights(int process) {
  const auto path = "/proc/" + std::to_string(process) + "/ns/user";
  struct stat ours {
  }, its{};
  if (stat("/proc/self/ns/user", &ours) == 0 && stat(path.c_str(), &its) == 0 && ours.st_ino == its.st_ino) return;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || setns(file, CLONE_NEWUSER) != 0)
    fail_errno("Cannot enter the testbed, which another user has started");
  close(file);
}

void hand_on_rights() {
  Capabilities now;
  if (geteuid() == 0 || !now.read()) return;
  for (auto& part : now.low_high) part.inheritable = part.permitted;
  now.write();
  for (const int one : of_nodes) prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, one, 0, 0);
}

void drop_rights() {
  if (geteuid() == 0) return;
  Capabilities none;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  none.write();
}

}  // namespace weft::testbed
