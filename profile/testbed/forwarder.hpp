// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "testbed/base.hpp"

namespace weft::testbed {

struct VnetHeader {  ///< struct virtio_net_hdr; <linux/virtio_net.h> is not valid C++
  std::uint8_t flags, gso_type;
  std::uint16_t hdr_len, gso_size, csum_start, csum_offset;
};
static_assert(sizeof(VnetHeader) == 10);

struct LinkOptions {
  std::int64_t latency = 1'000'000;  ///< one way, nanoseconds
  std::int64_t rate = nanoseconds;   ///< bit/s each way, 0: no limit
  std::int64_t jitter = 0;           ///< the latency varies by up to so much either way; at most the latency
};

/// The forwarder: the switch that all nodes are linked to. A packet from s to d
///   1. is serialised on the uplink of s (rate, first in, first out),
///   2. arrives after latency +- jitter; it never overtakes an earlier packet of s,
///   3. is serialised on the downlink of d. The switch is cut-through: a packet that meets no other is serialised once.
/// Packets are dropped only if 64 MiB are queued on a link.
///
/// Not thread-safe; nothing blocks.
class Forwarder {
 public:
  /// Reads packets from and writes them to these TUN devices, one per node; node i has the address `subnet` + 1 + i.
  /// The jitter depends on the seed and on the number of packets that a node has sent.
  Forwarder(const std::vector<int>& devices, std::uint32_t subnet, LinkOptions links, unsigned seed);

  const std::vector<int>& devices() const { return devices_; }

  /// Reports how late this process woke up. The usual delay counts as part of the latency (at most a tenth of it),
  /// twice: once before a packet is read, once before it is delivered.
  void woke_late_by(std::int64_t ns);

  /// Reads the packets of a node.
  void ingest(std::size_t node);
  /// Moves the packets that are due. Returns the time of the next event, or -1.
  std::int64_t advance();

  void set(LinkOptions links) { links_ = links; }
  const LinkOptions& links() const { return links_; }
  /// Blocks a node's link in both directions for `duration` from now on. It replaces a stall in progress, so 0 ends it.
  void stall(std::size_t node, std::int64_t duration);
  bool stalled(std::size_t node) const { return nodes_[node].stalled_until > now_ns(); }

  void reset_counters();
  /// As text: bytes, processor time, and how late packets were delivered.
  std::string stats() const;

 private:
  struct Packet {
    char* data;
    std::uint32_t bytes;
    bool small;
    std::uint8_t to;
    std::int64_t wire_ns;  // serialisation
    std::int64_t when;     // at the switch's output, then delivered
  };
  struct Node {
    int device = -1;
    std::deque<Packet> up, down;
    std::int64_t up_free = 0, down_free = 0, last_arrival = 0, stalled_until = 0;
    std::int64_t queued = 0;  // bytes
    std::mt19937 random;
    std::uint64_t sent_packets = 0, sent_bytes = 0, received_packets = 0, received_bytes = 0, dropped = 0;
  };
  /// Recycled memory for packets.
  struct Pool {
    std::vector<char*> big, small;
    char* take(bool is_small);
    void give(char* data, bool is_small);
  };

  bool ingest_one(std::size_t node);
  void switch_due(std::int64_t now);
  void deliver_due(Node& node, std::int64_t now);
  std::int64_t wire_time(const char* packet, std::uint32_t bytes) const;
  std::int64_t travel_time(Node& node) const;
  std::int64_t late_quantile_us(double q) const;
  std::int64_t usually_late() const { return std::min(usually_late_, links_.latency / 20); }

  std::vector<int> devices_;
  std::vector<Node> nodes_;
  std::uint32_t subnet_;
  LinkOptions links_;
  Pool pool_;
  std::uint64_t late_[24] = {};  // by log2 of microseconds
  std::uint64_t delivered_ = 0;
  std::int64_t latest_ns_ = 0, counted_from_ = 0, usually_late_ = 0;
  double processor_from_ = 0;
};

}  // namespace weft::testbed
