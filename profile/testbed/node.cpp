// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/node.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "testbed/base.hpp"
#include "testbed/forwarder.hpp"

namespace weft::testbed {

namespace {

constexpr std::uint32_t mask = 0xffffff00u;

class Socket {
 public:
  Socket(int family, int type) : file_(socket(family, type | SOCK_CLOEXEC, family == AF_NETLINK ? NETLINK_ROUTE : 0)) {
    if (file_ < 0) fail_errno("Cannot open a socket");
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(file_); }
  operator int() const { return file_; }

 private:
  int file_;
};

ifreq request(const char* device) {
  ifreq r{};
  std::strncpy(r.ifr_name, device, IFNAMSIZ - 1);
  return r;
}

void control(int s, unsigned long what, ifreq& r) {
  if (ioctl(s, what, &r) != 0) fail_errno(std::string("Cannot set up ") + r.ifr_name);
}

void set_address(int s, unsigned long what, const char* card, std::uint32_t value) {
  auto r = request(card);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(value);
  std::memcpy(&r.ifr_addr, &a, sizeof a);
  control(s, what, r);
}

void bring_up(int s, const char* device) {
  auto r = request(device);
  control(s, SIOCGIFFLAGS, r);
  r.ifr_flags = static_cast<short>(r.ifr_flags | IFF_UP | IFF_RUNNING);
  control(s, SIOCSIFFLAGS, r);
}

void append(char*& to, unsigned short type, const void* data, std::size_t bytes) {
  auto* a = reinterpret_cast<rtattr*>(to);
  a->rta_type = type;
  a->rta_len = static_cast<unsigned short>(RTA_LENGTH(bytes));
  std::memcpy(RTA_DATA(a), data, bytes);
  to += RTA_ALIGN(a->rta_len);
}

template <class Body>
struct Request {
  nlmsghdr header{};
  Body body{};
  char rest[256] = {};
  char* end = rest;
};

template <class Body>
void send_request(Request<Body>& q, unsigned short type, unsigned short flags, const char* what) {
  q.header.nlmsg_type = type;
  q.header.nlmsg_flags = static_cast<unsigned short>(NLM_F_REQUEST | NLM_F_ACK | flags);
  q.header.nlmsg_len = static_cast<std::uint32_t>(q.end - reinterpret_cast<char*>(&q));
  const Socket s(AF_NETLINK, SOCK_RAW);
  struct {
    nlmsghdr header;
    nlmsgerr error;
    char rest[1024];
  } answer{};
  if (send(s, &q, q.header.nlmsg_len, 0) < 0 || recv(s, &answer, sizeof answer, 0) < 0) fail_errno(what);
  if (answer.header.nlmsg_type == NLMSG_ERROR && answer.error.error != 0) {
    errno = -answer.error.error;
    fail_errno(what);
  }
}

// Sets a route with a large initial window, so that new and idle connections have no slow start, as on a cluster's
// network.
void set_route(const char* card, std::uint32_t address) {
  Request<rtmsg> q;
  q.body.rtm_family = AF_INET;
  q.body.rtm_dst_len = 24;
  q.body.rtm_table = RT_TABLE_MAIN;
  q.body.rtm_protocol = RTPROT_KERNEL;
  q.body.rtm_scope = RT_SCOPE_LINK;
  q.body.rtm_type = RTN_UNICAST;
  const std::uint32_t to = htonl(address & mask), from = htonl(address), index = if_nametoindex(card), segments = 1000;
  append(q.end, RTA_DST, &to, 4);
  append(q.end, RTA_PREFSRC, &from, 4);
  append(q.end, RTA_OIF, &index, 4);
  char metrics[64];
  char* metrics_end = metrics;
  append(metrics_end, RTAX_INITCWND, &segments, 4);
  append(metrics_end, RTAX_INITRWND, &segments, 4);
  append(q.end, RTA_METRICS, metrics, static_cast<std::size_t>(metrics_end - metrics));
  send_request(q, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, "Cannot set the route");
}

// The ioctl for it is only for the machine's root.
void set_queue(const char* card, std::uint32_t packets) {
  Request<ifinfomsg> q;
  q.body.ifi_index = static_cast<int>(if_nametoindex(card));
  append(q.end, IFLA_TXQLEN, &packets, 4);
  send_request(q, RTM_NEWLINK, 0, "Cannot set the queue of a network card");
}

int make_device(const char* card, bool segments_offloaded) {
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail_errno("Cannot open /dev/net/tun, which needs a kernel with TUN");
  auto r = request(card);
  r.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  control(device, TUNSETIFF, r);
  int header_bytes = sizeof(VnetHeader);
  const unsigned offload = segments_offloaded ? TUN_F_CSUM | TUN_F_TSO4 : TUN_F_CSUM;
  if (ioctl(device, TUNSETVNETHDRSZ, &header_bytes) != 0 || ioctl(device, TUNSETOFFLOAD, offload) != 0)
    fail_errno("Cannot set up a TUN device");
  return device;
}

}  // namespace

void set_up_network() {
  bring_up(Socket(AF_INET, SOCK_DGRAM), "lo");
  // A cluster's network has no slow start and no small windows. These settings apply only to this namespace.
  write_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
  write_file("/proc/sys/net/ipv4/tcp_congestion_control", "cubic");
  write_file("/proc/sys/net/ipv4/tcp_slow_start_after_idle", "0");
  write_file("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
  write_file("/proc/sys/net/ipv4/tcp_rmem", "4096 4194304 33554432");
  write_file("/proc/sys/net/ipv4/tcp_wmem", "4096 4194304 33554432");
}

int make_card(const Network& network, int index, const NodeOptions& options) {
  const auto* card = network.card;
  const auto address = network.subnet + 1 + static_cast<std::uint32_t>(index);
  const Socket s(AF_INET, SOCK_DGRAM);
  const int device = make_device(card, options.segments_offloaded);
  auto r = request(card);
  r.ifr_mtu = options.mtu;
  control(s, SIOCSIFMTU, r);
  set_queue(card, 4096);
  set_address(s, SIOCSIFADDR, card, address);
  set_address(s, SIOCSIFNETMASK, card, mask);
  bring_up(s, card);
  set_route(card, address);
  return device;
}

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
      refuse("The limit of open files is too low for so many nodes. Set it to 1024 (ulimit -n) or more.");
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
