// SPDX-License-Identifier: BSD-3-Clause
//
// vnet - a small emulated cluster network in one process.
//
//   vnet up   STATEDIR NODES LATENCY RATE [options]   create the cluster (daemon)
//   vnet exec STATEDIR NODE  CMD [ARG...]             run CMD on a node
//   vnet ctl  STATEDIR REQUEST                        stats | reset | set LAT RATE
//   vnet down STATEDIR                                stop everything
//   vnet check STATEDIR                               measure node0 <-> node1 with plain TCP
//   vnet pin  CMD [ARG...]                            pin to core (rank mod cores), then exec
//
// Every node is a set of private namespaces (network, UTS, IPC, mount) with its
// own host name, /dev/shm, /sys and /etc/hosts, and one TUN device.  The daemon
// holds the other end of all TUN devices and is the switch: a packet from s to d
//   1. is serialised on the uplink of s   (RATE, first in first out),
//   2. travels LATENCY,
//   3. is serialised on the downlink of d (RATE; cut-through, so an
//      uncontended packet pays the serialisation once; incast pays more).
// LATENCY is one way: ping shows 2*LATENCY.  Nothing is ever dropped before
// LIMIT bytes wait in one queue.
//
// The namespaces and devices live only through descriptors of the daemon: when
// it ends, however it ends, the kernel removes them.  Nothing is put in
// /run/netns and nothing is mounted in the caller's mount namespace.
//
// Linux only; needs root (CAP_SYS_ADMIN + CAP_NET_ADMIN) and /dev/net/tun.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace {

constexpr int MAX_NODES = 64;
constexpr size_t BIG = 66 * 1024;      // one TSO packet + headers
constexpr size_t SMALL = 2048;         // acks, small messages
constexpr int64_t WIRE_OVERHEAD = 38;  // Ethernet preamble+header+FCS+gap per frame

[[noreturn]] void die(const char* fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fprintf(stderr, "vnet: ");
  vfprintf(stderr, fmt, ap);
  fprintf(stderr, "\n");
  va_end(ap);
  exit(1);
}

int64_t now_ns() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return int64_t(ts.tv_sec) * 1000000000 + ts.tv_nsec;
}

// "1ms" "0.2ms" "200us" "0" -> nanoseconds
bool parse_time(const char* s, int64_t* out) {
  char* e;
  double v = strtod(s, &e);
  if (e == s || v < 0) return false;
  double f;
  if (!strcmp(e, "s")) f = 1e9;
  else if (!strcmp(e, "ms")) f = 1e6;
  else if (!strcmp(e, "us")) f = 1e3;
  else if (!strcmp(e, "ns") || (!*e && v == 0)) f = 1;
  else return false;
  *out = int64_t(v * f + 0.5);
  return *out <= int64_t(10) * 1000000000;
}

// "1gbit" "100mbit" "0"/"inf" (no limit) -> bit/s
bool parse_rate(const char* s, int64_t* out) {
  if (!strcmp(s, "inf")) return *out = 0, true;
  char* e;
  double v = strtod(s, &e);
  if (e == s || v < 0) return false;
  double f;
  if (!strcasecmp(e, "gbit")) f = 1e9;
  else if (!strcasecmp(e, "mbit")) f = 1e6;
  else if (!strcasecmp(e, "kbit")) f = 1e3;
  else if (!strcasecmp(e, "bit") || (!*e && v == 0)) f = 1;
  else return false;
  *out = int64_t(v * f + 0.5);
  return true;
}

bool write_file(const char* path, const std::string& text) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  bool ok = write(fd, text.data(), text.size()) == ssize_t(text.size());
  close(fd);
  return ok;
}

std::string read_file(const std::string& path) {
  std::string r;
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return r;
  char b[4096];
  ssize_t n;
  while ((n = read(fd, b, sizeof b)) > 0) r.append(b, size_t(n));
  close(fd);
  return r;
}

// start time (clock ticks since boot) of a process: a pid alone may be reused
unsigned long long start_time(long pid) {
  std::string s = read_file("/proc/" + std::to_string(pid) + "/stat");
  size_t p = s.rfind(')');
  if (p == std::string::npos) return 0;
  unsigned long long v = 0;
  const char* c = s.c_str() + p + 1;
  if (p + 2 < s.size() && s[p + 2] == 'Z') return 0;  // dead, not yet reaped
  for (int field = 2; *c && field < 22; ++c)
    if (*c == ' ') ++field;
  sscanf(c, "%llu", &v);
  return v;
}

// ---------------------------------------------------------------- state file
struct State {
  long pid = 0;
  unsigned long long start = 0;
  int nodes = 0;
  int fd[MAX_NODES][4];  // net uts ipc mnt, numbers in the daemon
  bool alive() const { return pid > 0 && start && start_time(pid) == start; }
};

bool load_state(const std::string& dir, State* st) {
  std::string s = read_file(dir + "/state");
  if (s.empty()) return false;
  const char* p = s.c_str();
  int used = 0;
  if (sscanf(p, "pid %ld start %llu nodes %d%n", &st->pid, &st->start, &st->nodes, &used) != 3)
    return false;
  if (st->nodes < 1 || st->nodes > MAX_NODES) return false;
  p += used;
  for (int i = 0; i < st->nodes; ++i) {
    int k, m = 0;
    if (sscanf(p, " node %d %d %d %d %d%n", &k, &st->fd[i][0], &st->fd[i][1], &st->fd[i][2],
               &st->fd[i][3], &m) != 5)
      return false;
    p += m;
  }
  return true;
}

State need_state(const std::string& dir) {
  State st;
  if (!load_state(dir, &st)) die("no cluster in %s (run 'up' first)", dir.c_str());
  if (!st.alive()) die("the cluster in %s is gone (its daemon ended); run 'down', then 'up'", dir.c_str());
  return st;
}

// ------------------------------------------------------------------- switch
struct VnetHdr {  // struct virtio_net_hdr; <linux/virtio_net.h> is not valid C++
  uint8_t flags, gso_type;
  uint16_t hdr_len, gso_size, csum_start, csum_offset;
};
static_assert(sizeof(VnetHdr) == 10, "virtio header");

struct Packet {
  char* buf;
  uint32_t len;
  bool small;
  int8_t dst;
  int64_t ser;   // serialisation time
  int64_t when;  // arrival at the switch output, then delivery
};

struct Pool {
  std::vector<char*> big, small;
  char* get(bool s) {
    auto& v = s ? small : big;
    if (v.empty()) {
      char* p = static_cast<char*>(malloc(s ? SMALL : BIG));
      if (!p) die("out of memory");
      return p;
    }
    char* p = v.back();
    v.pop_back();
    return p;
  }
  void fill(size_t nbig, size_t nsmall) {  // touch the memory now, not on the first packet
    for (size_t i = 0; i < nbig + nsmall; ++i) {
      bool s = i >= nbig;
      char* p = static_cast<char*>(malloc(s ? SMALL : BIG));
      if (!p) die("out of memory");
      memset(p, 1, s ? SMALL : BIG);
      put(p, s);
    }
  }
  void put(char* p, bool s) {
    auto& v = s ? small : big;
    if (v.size() < 4096) v.push_back(p);
    else free(p);
  }
};

struct Node {
  int tun = -1;
  int ns[4] = {-1, -1, -1, -1};
  std::deque<Packet> up, down;
  int64_t up_free = 0, down_free = 0;
  int64_t queued = 0;  // bytes in up + bytes in down of this node
  uint64_t tx_pkts = 0, tx_bytes = 0, rx_pkts = 0, rx_bytes = 0, drops = 0;
};

struct Switch {
  std::vector<Node> nodes;
  int64_t latency = 0, rate = 0;
  int64_t limit = 64 << 20;
  uint32_t subnet = 0;
  Pool pool;
  // lateness of delivery against the plan
  uint64_t late_hist[24] = {};  // log2 microseconds
  uint64_t delivered = 0;
  int64_t late_max = 0;
  double cpu0 = 0;
  int64_t t0 = 0;

  int64_t wire_time(const char* b, uint32_t len) const {
    if (!rate) return 0;
    auto* h = reinterpret_cast<const VnetHdr*>(b);
    int64_t bytes = int64_t(len) - int64_t(sizeof *h), segs = 1;
    if (h->gso_type && h->gso_size) {
      int64_t payload = bytes - h->hdr_len;
      segs = std::max<int64_t>(1, (payload + h->gso_size - 1) / h->gso_size);
      bytes += (segs - 1) * h->hdr_len;
    }
    bytes += segs * WIRE_OVERHEAD;
    return int64_t(double(bytes) * 8e9 / double(rate));
  }

  void ingest(int s) {
    Node& n = nodes[size_t(s)];
    for (int burst = 0; burst < 64; ++burst) {
      char* b = pool.get(false);
      ssize_t r = read(n.tun, b, BIG);
      if (r <= 0) {
        pool.put(b, false);
        return;
      }
      int64_t t = now_ns();
      const unsigned char* ip = reinterpret_cast<unsigned char*>(b) + sizeof(VnetHdr);
      uint32_t d = 0;
      if (size_t(r) >= sizeof(VnetHdr) + 20 && (ip[0] >> 4) == 4)
        d = (uint32_t(ip[16]) << 24 | uint32_t(ip[17]) << 16 | uint32_t(ip[18]) << 8 | ip[19]) - subnet;
      if (d < 1 || d > nodes.size()) {  // IPv6, multicast, broadcast: not for us
        pool.put(b, false);
        continue;
      }
      if (n.queued + r > limit || nodes[d - 1].queued + r > limit) {
        ++n.drops;
        pool.put(b, false);
        continue;
      }
      Packet p;
      p.len = uint32_t(r);
      p.dst = int8_t(d - 1);
      p.ser = wire_time(b, p.len);
      p.small = p.len <= SMALL;
      if (p.small) {
        p.buf = pool.get(true);
        memcpy(p.buf, b, p.len);
        pool.put(b, false);
      } else {
        p.buf = b;
      }
      n.up_free = std::max(n.up_free, t) + p.ser;
      p.when = n.up_free + latency;
      n.up.push_back(p);
      n.queued += r;
      ++n.tx_pkts;
      n.tx_bytes += uint64_t(r) - sizeof(VnetHdr);
    }
  }

  // move what is due; returns the time of the next event, or -1
  int64_t advance() {
    for (;;) {
      int64_t now = now_ns();
      // switch arrivals, in order of time
      for (;;) {
        int best = -1;
        int64_t bt = INT64_MAX;
        for (size_t i = 0; i < nodes.size(); ++i)
          if (!nodes[i].up.empty() && nodes[i].up.front().when < bt) {
            bt = nodes[i].up.front().when;
            best = int(i);
          }
        if (best < 0 || bt > now) break;
        Node& s = nodes[size_t(best)];
        Packet p = s.up.front();
        s.up.pop_front();
        s.queued -= p.len;
        Node& d = nodes[size_t(p.dst)];
        p.when = std::max(p.when, d.down_free + p.ser);
        d.down_free = p.when;
        d.down.push_back(p);
        d.queued += p.len;
      }
      int64_t next = INT64_MAX;
      for (auto& n : nodes) {
        while (!n.down.empty() && n.down.front().when <= now) {
          Packet& p = n.down.front();
          int64_t late = now_ns() - p.when;
          ssize_t w;
          do w = write(n.tun, p.buf, p.len);
          while (w < 0 && errno == EINTR);
          if (w < 0) ++n.drops;
          int b = 0;
          for (int64_t us = late / 1000; us > 0 && b < 23; us >>= 1) ++b;
          ++late_hist[b];
          ++delivered;
          late_max = std::max(late_max, late);
          ++n.rx_pkts;
          n.rx_bytes += p.len - sizeof(VnetHdr);
          n.queued -= p.len;
          pool.put(p.buf, p.small);
          n.down.pop_front();
        }
        if (!n.down.empty()) next = std::min(next, n.down.front().when);
        if (!n.up.empty()) next = std::min(next, n.up.front().when);
      }
      if (next == INT64_MAX) return -1;
      if (next > now_ns()) return next;
    }
  }

  static double cpu() {
    timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return double(ts.tv_sec) + 1e-9 * double(ts.tv_nsec);
  }
  void reset() {
    memset(late_hist, 0, sizeof late_hist);
    delivered = 0;
    late_max = 0;
    for (auto& n : nodes) n.tx_pkts = n.tx_bytes = n.rx_pkts = n.rx_bytes = n.drops = 0;
    cpu0 = cpu();
    t0 = now_ns();
  }
  int64_t late_quantile_us(double q) const {  // upper edge of the bucket
    uint64_t want = uint64_t(q * double(delivered)), acc = 0;
    for (int b = 0; b < 24; ++b)
      if ((acc += late_hist[b]) > want) return int64_t(1) << b;
    return 0;
  }
  std::string stats() const {
    char l[256];
    std::string o;
    snprintf(l, sizeof l, "latency_us %.3f rate_bit_s %lld nodes %zu\n", double(latency) / 1e3,
             static_cast<long long>(rate), nodes.size());
    o += l;
    snprintf(l, sizeof l, "wall_s %.3f switch_cpu_s %.4f delivered %llu\n", double(now_ns() - t0) / 1e9,
             cpu() - cpu0, static_cast<unsigned long long>(delivered));
    o += l;
    snprintf(l, sizeof l, "late_us p50<%lld p99<%lld max=%.0f\n", static_cast<long long>(late_quantile_us(.5)),
             static_cast<long long>(late_quantile_us(.99)), double(late_max) / 1e3);
    o += l;
    for (size_t i = 0; i < nodes.size(); ++i) {
      auto& n = nodes[i];
      snprintf(l, sizeof l, "node%zu sent %llu packets %llu bytes, received %llu packets %llu bytes, dropped %llu\n",
               i, static_cast<unsigned long long>(n.tx_pkts), static_cast<unsigned long long>(n.tx_bytes),
               static_cast<unsigned long long>(n.rx_pkts), static_cast<unsigned long long>(n.rx_bytes),
               static_cast<unsigned long long>(n.drops));
      o += l;
    }
    return o;
  }
};

// -------------------------------------------------------------------- nodes
const char* const NS_NAME[4] = {"net", "uts", "ipc", "mnt"};

int open_ns(const char* which) {
  std::string p = std::string("/proc/self/ns/") + which;
  int fd = open(p.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) die("cannot open %s: %s", p.c_str(), strerror(errno));
  return fd;
}

void set_link(int s, const char* dev, uint32_t addr, int mtu, int qlen) {
  ifreq r;
  memset(&r, 0, sizeof r);
  strncpy(r.ifr_name, dev, IFNAMSIZ - 1);
  if (addr) {
    r.ifr_mtu = mtu;
    if (ioctl(s, SIOCSIFMTU, &r)) die("cannot set mtu %d: %s", mtu, strerror(errno));
    r.ifr_qlen = qlen;
    if (ioctl(s, SIOCSIFTXQLEN, &r)) die("cannot set queue length: %s", strerror(errno));
    sockaddr_in a;
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(addr);
    memcpy(&r.ifr_addr, &a, sizeof a);
    if (ioctl(s, SIOCSIFADDR, &r)) die("cannot set the address: %s", strerror(errno));
    a.sin_addr.s_addr = htonl(0xffffff00u);
    memcpy(&r.ifr_netmask, &a, sizeof a);
    if (ioctl(s, SIOCSIFNETMASK, &r)) die("cannot set the net mask: %s", strerror(errno));
  }
  if (ioctl(s, SIOCGIFFLAGS, &r)) die("%s: %s", dev, strerror(errno));
  r.ifr_flags = short(r.ifr_flags | IFF_UP | IFF_RUNNING);
  if (ioctl(s, SIOCSIFFLAGS, &r)) die("cannot bring up %s: %s", dev, strerror(errno));
}

// Give the route to the cluster a large initial window, so that a first or an
// idle connection does not pay a slow start that no cluster network has.
void set_route(uint32_t subnet, uint32_t self) {
  struct {
    nlmsghdr h;
    rtmsg r;
    char b[256];
  } q;
  memset(&q, 0, sizeof q);
  q.h.nlmsg_len = NLMSG_LENGTH(sizeof(rtmsg));
  q.h.nlmsg_type = RTM_NEWROUTE;
  q.h.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
  q.r.rtm_family = AF_INET;
  q.r.rtm_dst_len = 24;
  q.r.rtm_table = RT_TABLE_MAIN;
  q.r.rtm_protocol = RTPROT_KERNEL;
  q.r.rtm_scope = RT_SCOPE_LINK;
  q.r.rtm_type = RTN_UNICAST;
  auto put = [](char*& p, unsigned short type, const void* d, size_t n) {
    rtattr* a = reinterpret_cast<rtattr*>(p);
    a->rta_type = type;
    a->rta_len = static_cast<unsigned short>(RTA_LENGTH(n));
    memcpy(RTA_DATA(a), d, n);
    p += RTA_ALIGN(a->rta_len);
  };
  char* p = reinterpret_cast<char*>(&q) + NLMSG_ALIGN(q.h.nlmsg_len);
  uint32_t dst = htonl(subnet), src = htonl(self), idx = if_nametoindex("vnet0"), segs = 1000;
  put(p, RTA_DST, &dst, 4);
  put(p, RTA_PREFSRC, &src, 4);
  put(p, RTA_OIF, &idx, 4);
  char m[64], *mp = m;
  put(mp, RTAX_INITCWND, &segs, 4);
  put(mp, RTAX_INITRWND, &segs, 4);
  put(p, RTA_METRICS, m, size_t(mp - m));
  q.h.nlmsg_len = uint32_t(p - reinterpret_cast<char*>(&q));
  int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  char ans[1024];
  if (s < 0 || send(s, &q, q.h.nlmsg_len, 0) < 0 || recv(s, ans, sizeof ans, 0) < 0) die("rtnetlink: %s", strerror(errno));
  auto* h = reinterpret_cast<nlmsghdr*>(ans);
  if (h->nlmsg_type == NLMSG_ERROR) {
    int e = reinterpret_cast<nlmsgerr*>(NLMSG_DATA(h))->error;
    if (e) die("cannot set the route: %s", strerror(-e));
  }
  close(s);
}

struct Opt {
  int mtu = 1500;
  bool tso = true;
  int ttl = 0;
  int rt = 10;  // SCHED_FIFO priority, 0: none
};

void make_node(Node& n, int i, uint32_t subnet, const Opt& o, const std::string& hosts) {
  if (unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS))
    die("cannot create namespaces: %s%s", strerror(errno), errno == EPERM ? " (root needed)" : "");
  std::string name = "node" + std::to_string(i);
  if (sethostname(name.c_str(), name.size())) die("sethostname: %s", strerror(errno));

  // private mounts: nothing of this is seen outside
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr)) die("cannot make mounts private: %s", strerror(errno));
  if (mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"))
    die("cannot mount /dev/shm: %s", strerror(errno));
  if (mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr))
    die("cannot bind %s over /etc/hosts: %s", hosts.c_str(), strerror(errno));
  // /sys/class/net shows the network namespace of the mounter; keep the cgroups reachable
  int cg = int(syscall(428 /*open_tree*/, AT_FDCWD, "/sys/fs/cgroup", 1 /*CLONE*/ | 0x8000 /*RECURSIVE*/));
  if (mount("sysfs", "/sys", "sysfs", 0, nullptr)) die("cannot mount /sys: %s", strerror(errno));
  if (cg >= 0) {
    (void)!syscall(429 /*move_mount*/, cg, "", AT_FDCWD, "/sys/fs/cgroup", 4 /*F_EMPTY_PATH*/);
    close(cg);
  }

  int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (s < 0) die("socket: %s", strerror(errno));
  set_link(s, "lo", 0, 0, 0);
  n.tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (n.tun < 0) die("cannot open /dev/net/tun: %s (kernel without TUN, or not root?)", strerror(errno));
  ifreq r;
  memset(&r, 0, sizeof r);
  r.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  strcpy(r.ifr_name, "vnet0");
  if (ioctl(n.tun, TUNSETIFF, &r)) die("cannot create the TUN device: %s", strerror(errno));
  int hs = int(sizeof(VnetHdr));
  if (ioctl(n.tun, TUNSETVNETHDRSZ, &hs)) die("TUNSETVNETHDRSZ: %s", strerror(errno));
  unsigned off = o.tso ? TUN_F_CSUM | TUN_F_TSO4 : TUN_F_CSUM;
  if (ioctl(n.tun, TUNSETOFFLOAD, off)) die("TUNSETOFFLOAD: %s", strerror(errno));

  // A cluster network has no slow start and no small windows.  All of these are
  // settings of the private network namespace only.
  write_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
  write_file("/proc/sys/net/ipv4/tcp_congestion_control", "cubic");
  write_file("/proc/sys/net/ipv4/tcp_slow_start_after_idle", "0");
  write_file("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
  write_file("/proc/sys/net/ipv4/tcp_rmem", "4096 4194304 33554432");
  write_file("/proc/sys/net/ipv4/tcp_wmem", "4096 4194304 33554432");
  set_link(s, "vnet0", subnet + 1 + uint32_t(i), o.mtu, 4096);
  close(s);
  set_route(subnet, subnet + 1 + uint32_t(i));
  for (int k = 0; k < 4; ++k) n.ns[k] = open_ns(NS_NAME[k]);
}

int cmd_up(int argc, char** argv) {
  if (argc < 4) die("usage: vnet up STATEDIR NODES LATENCY RATE [--mtu N] [--no-tso] [--ttl SECONDS] [--no-rt]");
  std::string dir = argv[0];
  int nn = atoi(argv[1]);
  Switch sw;
  Opt o;
  if (nn < 1 || nn > MAX_NODES) die("NODES must be 1..%d, not '%s'", MAX_NODES, argv[1]);
  if (!parse_time(argv[2], &sw.latency)) die("LATENCY must be like 1ms, 200us or 0, not '%s'", argv[2]);
  if (!parse_rate(argv[3], &sw.rate)) die("RATE must be like 1gbit, 100mbit or inf, not '%s'", argv[3]);
  for (int i = 4; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--mtu" && i + 1 < argc) o.mtu = atoi(argv[++i]);
    else if (a == "--no-tso") o.tso = false;
    else if (a == "--ttl" && i + 1 < argc) o.ttl = atoi(argv[++i]);
    else if (a == "--no-rt") o.rt = 0;
    else die("unknown option '%s'", a.c_str());
  }
  if (o.mtu < 576 || o.mtu > 65000) die("--mtu must be 576..65000");
  if (geteuid() != 0) die("must be root: creating network namespaces and TUN devices needs CAP_SYS_ADMIN and CAP_NET_ADMIN");
  if (access("/dev/net/tun", R_OK | W_OK)) die("/dev/net/tun: %s", strerror(errno));

  State old;
  if (load_state(dir, &old) && old.alive()) die("a cluster is already up in %s (pid %ld)", dir.c_str(), old.pid);
  if (mkdir(dir.c_str(), 0755) && errno != EEXIST) die("cannot create %s: %s", dir.c_str(), strerror(errno));
  char* real = realpath(dir.c_str(), nullptr);
  if (!real) die("%s: %s", dir.c_str(), strerror(errno));
  dir = real;
  free(real);

  sw.subnet = (10u << 24) | (77u << 16);
  std::string hosts = "127.0.0.1 localhost\n", hf = dir + "/hosts";
  for (int i = 0; i < nn; ++i)
    hosts += "10.77.0." + std::to_string(i + 1) + " node" + std::to_string(i) + "\n";
  if (!write_file(hf.c_str(), hosts)) die("cannot write %s: %s", hf.c_str(), strerror(errno));

  int pp[2];
  if (pipe2(pp, O_CLOEXEC)) die("pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child < 0) die("fork: %s", strerror(errno));
  if (child > 0) {  // wait for "ok"
    close(pp[1]);
    char c = 0;
    ssize_t r = read(pp[0], &c, 1);
    if (r == 1 && c == '+') return 0;
    int status;
    waitpid(child, &status, 0);
    unlink((dir + "/hosts").c_str());
    unlink((dir + "/state").c_str());
    rmdir(dir.c_str());
    return 1;
  }
  close(pp[0]);
  setsid();

  int home[4];
  for (int k = 0; k < 4; ++k) home[k] = open_ns(NS_NAME[k]);
  char cwd[] = "/";
  sw.nodes.resize(size_t(nn));
  for (int i = 0; i < nn; ++i) {
    make_node(sw.nodes[size_t(i)], i, sw.subnet, o, hf);
    for (int k = 3; k >= 0; --k)
      if (setns(home[k], 0)) die("setns back: %s", strerror(errno));
  }
  if (chdir(cwd)) die("chdir /: %s", strerror(errno));

  // control socket
  int ls = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un ua;
  memset(&ua, 0, sizeof ua);
  ua.sun_family = AF_UNIX;
  std::string sp = dir + "/ctl";
  if (sp.size() >= sizeof ua.sun_path) die("path too long: %s", sp.c_str());
  strcpy(ua.sun_path, sp.c_str());
  unlink(sp.c_str());
  if (ls < 0 || bind(ls, reinterpret_cast<sockaddr*>(&ua), sizeof ua) || listen(ls, 8))
    die("control socket %s: %s", sp.c_str(), strerror(errno));

  std::string st = "pid " + std::to_string(getpid()) + " start " + std::to_string(start_time(getpid())) +
                   " nodes " + std::to_string(nn) + "\n";
  for (int i = 0; i < nn; ++i) {
    st += "node " + std::to_string(i);
    for (int k = 0; k < 4; ++k) st += " " + std::to_string(sw.nodes[size_t(i)].ns[k]);
    st += "\n";
  }
  if (!write_file((dir + "/state").c_str(), st)) die("cannot write state: %s", strerror(errno));

  sigset_t ss;
  sigemptyset(&ss);
  sigaddset(&ss, SIGTERM);
  sigaddset(&ss, SIGINT);
  sigprocmask(SIG_BLOCK, &ss, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  int sfd = signalfd(-1, &ss, SFD_CLOEXEC);
  int tfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  int kfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  int ep = epoll_create1(EPOLL_CLOEXEC);
  if (sfd < 0 || tfd < 0 || kfd < 0 || ep < 0) die("epoll/timerfd: %s", strerror(errno));
  if (o.ttl > 0) {
    itimerspec its;
    memset(&its, 0, sizeof its);
    its.it_value.tv_sec = o.ttl;
    timerfd_settime(kfd, 0, &its, nullptr);
  }
  auto add = [&](int fd, uint64_t tag) {
    epoll_event e;
    memset(&e, 0, sizeof e);
    e.events = EPOLLIN;
    e.data.u64 = tag;
    if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e)) die("epoll_ctl: %s", strerror(errno));
  };
  for (int i = 0; i < nn; ++i) add(sw.nodes[size_t(i)].tun, uint64_t(i));
  add(tfd, 1000);
  add(sfd, 1001);
  add(ls, 1002);
  add(kfd, 1003);

  // be on time even when every core computes
  sched_param spm;
  memset(&spm, 0, sizeof spm);
  spm.sched_priority = o.rt;
  if (!o.rt || sched_setscheduler(0, SCHED_FIFO, &spm)) setpriority(PRIO_PROCESS, 0, -20);
  sw.pool.fill(256, 1024);
  mlockall(MCL_CURRENT);
  sw.reset();

  (void)!write(pp[1], "+", 1);
  close(pp[1]);
  int nul = open("/dev/null", O_RDWR);
  dup2(nul, 0);
  dup2(nul, 1);
  dup2(nul, 2);
  if (nul > 2) close(nul);

  int64_t armed = -1;
  bool run = true;
  while (run) {
    epoll_event ev[16];
    int k = epoll_wait(ep, ev, 16, -1);
    for (int j = 0; j < k; ++j) {
      uint64_t tag = ev[j].data.u64;
      if (tag < 1000) {
        sw.ingest(int(tag));
      } else if (tag == 1000) {
        uint64_t x;
        (void)!read(tfd, &x, 8);
        armed = -1;
      } else if (tag == 1001 || tag == 1003) {
        run = false;
      } else {
        int c = accept4(ls, nullptr, nullptr, SOCK_CLOEXEC);
        if (c < 0) continue;
        timeval tv = {0, 200000};
        setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
        setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv);
        char b[256];
        ssize_t r = read(c, b, sizeof b - 1);
        std::string ans = "error: unknown request\n";
        if (r > 0) {
          b[r] = 0;
          char a1[64], a2[64];
          int64_t l, q;
          if (!strncmp(b, "stats", 5)) ans = sw.stats();
          else if (!strncmp(b, "reset", 5)) sw.reset(), ans = "ok\n";
          else if (sscanf(b, "set %63s %63s", a1, a2) == 2) {
            if (parse_time(a1, &l) && parse_rate(a2, &q)) sw.latency = l, sw.rate = q, ans = "ok\n";
            else ans = "error: LATENCY must be like 1ms, RATE like 1gbit\n";
          }
        }
        (void)!write(c, ans.data(), ans.size());
        close(c);
      }
    }
    int64_t next = sw.advance();
    if (next > 0 && next != armed) {
      itimerspec its;
      memset(&its, 0, sizeof its);
      its.it_value.tv_sec = next / 1000000000;
      its.it_value.tv_nsec = next % 1000000000;
      timerfd_settime(tfd, TFD_TIMER_ABSTIME, &its, nullptr);
      armed = next;
    }
  }
  unlink(sp.c_str());
  unlink((dir + "/state").c_str());
  unlink(hf.c_str());
  rmdir(dir.c_str());
  _exit(0);
}

// --------------------------------------------------------------------- exec
int node_number(const char* s) {
  if (!strncmp(s, "node", 4)) s += 4;
  else if (!strncmp(s, "10.77.0.", 8)) return atoi(s + 8) - 1;
  char* e;
  long v = strtol(s, &e, 10);
  return *s && !*e ? int(v) : -1;
}

void enter(const State& st, int n) {
  char* cwd = getcwd(nullptr, 0);
  int fd[4];
  for (int k = 0; k < 4; ++k) {
    std::string p = "/proc/" + std::to_string(st.pid) + "/fd/" + std::to_string(st.fd[n][k]);
    fd[k] = open(p.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd[k] < 0) die("cannot open %s: %s%s", p.c_str(), strerror(errno), errno == EACCES ? " (root needed)" : "");
  }
  for (int k = 0; k < 4; ++k)
    if (setns(fd[k], 0)) die("cannot enter node%d: %s%s", n, strerror(errno), errno == EPERM ? " (root needed)" : "");
  if (cwd && chdir(cwd)) die("cannot chdir to %s on node%d: %s", cwd, n, strerror(errno));
  free(cwd);
}

int cmd_exec(int argc, char** argv) {
  if (argc < 3) die("usage: vnet exec STATEDIR NODE CMD [ARG...]");
  State st = need_state(argv[0]);
  int n = node_number(argv[1]);
  if (n < 0 || n >= st.nodes) die("no node '%s': the cluster has node0..node%d", argv[1], st.nodes - 1);
  enter(st, n);
  execvp(argv[2], argv + 2);
  die("cannot run %s: %s", argv[2], strerror(errno));
}

// --------------------------------------------------------------------- check
bool xfer(int s, char* b, size_t n, bool out) {
  while (n) {
    ssize_t r = out ? send(s, b, n, MSG_NOSIGNAL) : recv(s, b, n, 0);
    if (r <= 0) return false;
    b += r;
    n -= size_t(r);
  }
  return true;
}

int cmd_check(int argc, char** argv) {
  if (argc < 1) die("usage: vnet check STATEDIR");
  State st = need_state(argv[0]);
  if (st.nodes < 2) die("check needs two nodes");
  constexpr int PINGS = 100;
  constexpr size_t CHUNK = 1 << 20;
  int pp[2];
  if (pipe2(pp, O_CLOEXEC)) die("pipe: %s", strerror(errno));
  sockaddr_in a;
  memset(&a, 0, sizeof a);
  a.sin_family = AF_INET;
  a.sin_port = htons(7777);
  a.sin_addr.s_addr = htonl((10u << 24) | (77u << 16) | 2u);
  std::vector<char> buf(CHUNK);
  int one = 1;
  pid_t child = fork();
  if (child < 0) die("fork: %s", strerror(errno));
  if (child == 0) {  // node1: echo 8 bytes until told, then swallow the bulk
    alarm(30);
    enter(st, 1);
    int l = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(l, reinterpret_cast<sockaddr*>(&a), sizeof a) || listen(l, 1)) die("listen: %s", strerror(errno));
    (void)!write(pp[1], "+", 1);
    int c = accept(l, nullptr, nullptr);
    setsockopt(c, IPPROTO_TCP, 1 /*TCP_NODELAY*/, &one, sizeof one);
    for (int i = 0; i < PINGS; ++i)
      if (!xfer(c, buf.data(), 8, false) || !xfer(c, buf.data(), 8, true)) _exit(1);
    for (;;) {
      int64_t n = 0;
      if (!xfer(c, reinterpret_cast<char*>(&n), 8, false) || n == 0) break;
      for (; n > 0; n -= int64_t(CHUNK))
        if (!xfer(c, buf.data(), CHUNK, false)) _exit(1);
      if (!xfer(c, buf.data(), 8, true)) _exit(1);
    }
    _exit(0);
  }
  close(pp[1]);
  char ch;
  if (read(pp[0], &ch, 1) != 1) die("the server side did not start");
  alarm(30);
  enter(st, 0);
  int c = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(c, reinterpret_cast<sockaddr*>(&a), sizeof a)) die("connect: %s", strerror(errno));
  setsockopt(c, IPPROTO_TCP, 1, &one, sizeof one);
  std::vector<int64_t> t;
  for (int i = 0; i < PINGS; ++i) {
    int64_t s = now_ns();
    if (!xfer(c, buf.data(), 8, true) || !xfer(c, buf.data(), 8, false)) die("connection lost");
    t.push_back(now_ns() - s);
  }
  std::sort(t.begin(), t.end());
  printf("half round trip, 8 bytes: median %.1f us, p90 %.1f us\n", double(t[PINGS / 2]) / 2e3,
         double(t[PINGS * 9 / 10]) / 2e3);
  double gbit = 0;
  for (int64_t n = int64_t(CHUNK), done = 0; done < 200000000; n *= 2) {  // until one takes 0.2 s
    int64_t s = now_ns();
    if (!xfer(c, reinterpret_cast<char*>(&n), 8, true)) die("connection lost");
    for (int64_t k = 0; k < n; k += int64_t(CHUNK))
      if (!xfer(c, buf.data(), CHUNK, true)) die("connection lost");
    if (!xfer(c, buf.data(), 8, false)) die("connection lost");
    done = now_ns() - s;
    gbit = double(n) * 8 / double(done);
    if (n == int64_t(CHUNK)) printf("1 MiB and an 8-byte answer: %.3f ms\n", double(done) / 1e6);
  }
  printf("stream: %.3f Gbit/s\n", gbit);
  int64_t z = 0;
  xfer(c, reinterpret_cast<char*>(&z), 8, true);
  int ws;
  waitpid(child, &ws, 0);
  return ws != 0;
}

int cmd_ctl(int argc, char** argv) {
  if (argc < 2) die("usage: vnet ctl STATEDIR stats|reset|set LATENCY RATE");
  need_state(argv[0]);
  std::string req;
  for (int i = 1; i < argc; ++i) req += std::string(i > 1 ? " " : "") + argv[i];
  int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un ua;
  memset(&ua, 0, sizeof ua);
  ua.sun_family = AF_UNIX;
  snprintf(ua.sun_path, sizeof ua.sun_path, "%s/ctl", argv[0]);
  if (connect(s, reinterpret_cast<sockaddr*>(&ua), sizeof ua)) die("%s: %s", ua.sun_path, strerror(errno));
  (void)!write(s, req.c_str(), req.size());
  char b[4096];
  ssize_t r;
  bool err = false, first = true;
  while ((r = read(s, b, sizeof b)) > 0) {
    if (first) err = !strncmp(b, "error", 5);
    first = false;
    fwrite(b, 1, size_t(r), stdout);
  }
  return err;
}

// every process inside the namespaces of the cluster
std::vector<long> members(const State& st) {
  std::vector<long> out;
  std::vector<std::pair<dev_t, ino_t>> ids;
  for (int i = 0; i < st.nodes; ++i) {
    std::string p = "/proc/" + std::to_string(st.pid) + "/fd/" + std::to_string(st.fd[i][0]);
    struct stat sb;
    if (!stat(p.c_str(), &sb)) ids.push_back({sb.st_dev, sb.st_ino});
  }
  DIR* d = opendir("/proc");
  if (!d) return out;
  while (dirent* e = readdir(d)) {
    long pid = atol(e->d_name);
    if (pid <= 0 || pid == getpid() || pid == st.pid) continue;
    struct stat sb;
    std::string p = std::string("/proc/") + e->d_name + "/ns/net";
    if (stat(p.c_str(), &sb)) continue;
    for (auto& i : ids)
      if (i.first == sb.st_dev && i.second == sb.st_ino) out.push_back(pid);
  }
  closedir(d);
  return out;
}

int cmd_down(int argc, char** argv) {
  if (argc < 1) die("usage: vnet down STATEDIR");
  std::string dir = argv[0];
  State st;
  bool have = load_state(dir, &st);
  if (have && st.alive()) {
    if (geteuid() != 0) die("must be root to stop the cluster");
    for (int sig : {SIGTERM, SIGKILL}) {
      std::vector<long> m = members(st);
      for (long p : m) kill(pid_t(p), sig);
      for (int i = 0; i < 50 && !members(st).empty(); ++i) usleep(20000);
    }
    kill(pid_t(st.pid), SIGTERM);
    for (int i = 0; i < 100 && st.alive(); ++i) usleep(20000);
    if (st.alive()) kill(pid_t(st.pid), SIGKILL);
    for (int i = 0; i < 100 && st.alive(); ++i) usleep(20000);
    if (st.alive()) die("the daemon (pid %ld) does not end", st.pid);
  }
  for (const char* f : {"/ctl", "/state", "/hosts"}) unlink((dir + f).c_str());
  if (rmdir(dir.c_str()) && errno != ENOENT) die("cannot remove %s: %s", dir.c_str(), strerror(errno));
  return 0;
}

int cmd_pin(int argc, char** argv) {
  if (argc < 1) die("usage: vnet pin CMD [ARG...]");
  const char* r = nullptr;
  for (const char* v : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MPI_LOCALRANKID"})
    if ((r = getenv(v))) break;
  if (r) {
    cpu_set_t have, want;
    CPU_ZERO(&have);
    CPU_ZERO(&want);
    sched_getaffinity(0, sizeof have, &have);
    int n = CPU_COUNT(&have), k = n ? atoi(r) % n : 0;
    for (int c = 0; c < CPU_SETSIZE; ++c)
      if (CPU_ISSET(c, &have) && k-- == 0) CPU_SET(c, &want);
    sched_setaffinity(0, sizeof want, &want);
  }
  // VNET_PRIO=-20: for timing on a busy machine.  With autogroups a nice value
  // counts only inside one session, so the rank gets a session of its own.
  // VNET_PRIO=rt: real time, only for ranks that sleep while they wait.
  const char* q = getenv("VNET_PRIO");
  if (q && !strcmp(q, "rt")) {
    sched_param sp;
    memset(&sp, 0, sizeof sp);
    sp.sched_priority = 1;
    if (sched_setscheduler(0, SCHED_RR, &sp)) die("VNET_PRIO=rt: %s", strerror(errno));
  } else if (q && *q) {
    setsid();
    write_file("/proc/self/autogroup", q);
    setpriority(PRIO_PROCESS, 0, atoi(q));
  }
  execvp(argv[0], argv);
  die("cannot run %s: %s", argv[0], strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  std::string c = argc > 1 ? argv[1] : "";
  if (c == "up") return cmd_up(argc - 2, argv + 2);
  if (c == "exec") return cmd_exec(argc - 2, argv + 2);
  if (c == "check") return cmd_check(argc - 2, argv + 2);
  if (c == "ctl") return cmd_ctl(argc - 2, argv + 2);
  if (c == "down") return cmd_down(argc - 2, argv + 2);
  if (c == "pin") return cmd_pin(argc - 2, argv + 2);
  fprintf(stderr, "usage: vnet up|exec|check|ctl|down|pin ...\n");
  return 2;
}
