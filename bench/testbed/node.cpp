// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/node.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "testbed/base.hpp"
#include "testbed/card.hpp"

namespace weft::testbed {
namespace {

int open_own(int kind) {
  static const char* const names[namespaces] = {"net", "uts", "ipc", "mnt"};
  const auto path = std::string("/proc/self/ns/") + names[kind];
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail_errno("Cannot open " + path);
  return file;
}

void mount_over(const char* type, const char* place, unsigned long flags, const char* options) {
  if (mount(type, place, type, flags, options) != 0) fail_errno(std::string("Cannot mount ") + place);
}

// Makes mounts private first, so that no mount is visible outside.
void mount_own(int nodes) {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) fail_errno("Cannot make mounts private");
  mount_over("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
  std::string hosts = "127.0.0.1 localhost\n";
  for (int i = 0; i < nodes; ++i) hosts += "10.77.0." + std::to_string(i + 1) + " node" + std::to_string(i) + "\n";
  const char* file = "/dev/shm/hosts";  // unlinked below; the mount stays
  if (!write_file(file, hosts) || mount(file, "/etc/hosts", nullptr, MS_BIND, nullptr) != 0)
    fail_errno("Cannot mount /etc/hosts");
  unlink(file);
  // /sys is mounted anew, since /sys/class/net shows the network of the mounting process; the control groups are kept
  const auto cgroups = static_cast<int>(
      syscall(428 /* open_tree */, AT_FDCWD, "/sys/fs/cgroup", 1 /* clone */ | 0x8000 /* recursive */));
  mount_over("sysfs", "/sys", 0, nullptr);
  if (cgroups >= 0) {
    (void)!syscall(429 /* move_mount */, cgroups, "", AT_FDCWD, "/sys/fs/cgroup", 4 /* from a file */);
    close(cgroups);
  }
}

}  // namespace

std::array<int, number_of_networks> make_node(int index, int nodes, const NodeOptions& options) {
  if (unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS) != 0) fail_errno("Cannot make namespaces");
  const auto name = "node" + std::to_string(index);
  if (sethostname(name.c_str(), name.size()) != 0) fail_errno("Cannot set a host name");
  mount_own(nodes);
  set_up_network();
  std::array<int, number_of_networks> devices;
  for (int k = 0; k < number_of_networks; ++k)
    devices[static_cast<std::size_t>(k)] = make_card(networks[k], index, options);
  for (int kind = 0; kind < namespaces; ++kind) {
    const int file = open_own(kind);
    if (fcntl(file, F_DUPFD_CLOEXEC, namespace_file(index, kind)) != namespace_file(index, kind))
      fail_errno("Cannot keep a namespace open; the limit of open files may be too low");
    close(file);
  }
  return devices;
}

void mount_proc() { mount_over("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr); }

Home::Home() {
  for (int kind = 0; kind < namespaces; ++kind) files_[kind] = open_own(kind);
}

void Home::enter() const {
  for (int kind = namespaces - 1; kind >= 0; --kind)
    if (setns(files_[kind], 0) != 0) fail_errno("Cannot leave a node");
}

}  // namespace weft::testbed
