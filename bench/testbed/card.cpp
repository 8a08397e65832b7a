// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/card.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
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

// Sets a route with a large initial window, so that new and idle connections have no slow start, as on a cluster's
// network.
void set_route(const char* card, std::uint32_t address) {
  struct {
    nlmsghdr header;
    rtmsg route;
    char rest[256];
  } q{};
  q.header.nlmsg_type = RTM_NEWROUTE;
  q.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
  q.route.rtm_family = AF_INET;
  q.route.rtm_dst_len = 24;
  q.route.rtm_table = RT_TABLE_MAIN;
  q.route.rtm_protocol = RTPROT_KERNEL;
  q.route.rtm_scope = RT_SCOPE_LINK;
  q.route.rtm_type = RTN_UNICAST;
  char* end = reinterpret_cast<char*>(&q) + NLMSG_ALIGN(NLMSG_LENGTH(sizeof(rtmsg)));
  const std::uint32_t to = htonl(address & mask), from = htonl(address), index = if_nametoindex(card), segments = 1000;
  append(end, RTA_DST, &to, 4);
  append(end, RTA_PREFSRC, &from, 4);
  append(end, RTA_OIF, &index, 4);
  char metrics[64];
  char* metrics_end = metrics;
  append(metrics_end, RTAX_INITCWND, &segments, 4);
  append(metrics_end, RTAX_INITRWND, &segments, 4);
  append(end, RTA_METRICS, metrics, static_cast<std::size_t>(metrics_end - metrics));
  q.header.nlmsg_len = static_cast<std::uint32_t>(end - reinterpret_cast<char*>(&q));
  const Socket s(AF_NETLINK, SOCK_RAW);
  struct {
    nlmsghdr header;
    nlmsgerr error;
    char rest[1024];
  } answer{};
  if (send(s, &q, q.header.nlmsg_len, 0) < 0 || recv(s, &answer, sizeof answer, 0) < 0)
    fail_errno("Cannot set the route");
  if (answer.header.nlmsg_type == NLMSG_ERROR && answer.error.error != 0) {
    errno = -answer.error.error;
    fail_errno("Cannot set the route");
  }
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
  r = request(card);
  r.ifr_qlen = 4096;
  control(s, SIOCSIFTXQLEN, r);
  set_address(s, SIOCSIFADDR, card, address);
  set_address(s, SIOCSIFNETMASK, card, mask);
  bring_up(s, card);
  set_route(card, address);
  return device;
}

}  // namespace weft::testbed
