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

/// The switch that all nodes are linked to. A packet from s to d
///   1. is serialised on the uplink of s (rate, first in, first out),
///   2. travels latency +- jitter; it never overtakes one that left s before it,
///   3. is serialised on the downlink of d. This is cut through: a packet that meets no other pays the serialisation
///   once.
/// Nothing is dropped before 64 MiB wait in one place.
///
/// Not thread-safe; nothing blocks.
class Relay {
 public:
  /// Packets are read from and written to these TUN devices, one a node; node i has the address `subnet` + 1 + i. The
  /// jitter follows from the seed and from how many packets a node sent.
  Relay(const std::vector<int>& devices, std::uint32_t subnet, LinkOptions links, unsigned seed);

  const std::vector<int>& devices() const { return devices_; }

  /// How late this process woke up. What it usually is counts as part of the latency (a tenth of it at most), twice:
  /// once before a packet is seen, once before it is delivered.
  void woke_late_by(std::int64_t ns);

  /// Takes what a node sends.
  void ingest(std::size_t node);
  /// Moves what is due. Returns the time of the next event, or -1.
  std::int64_t advance();

  void set(LinkOptions links) { links_ = links; }
  const LinkOptions& links() const { return links_; }
  /// Time stands still on a node's link, both ways, from now on for so long; a stall that still lasts is replaced, so
  /// that 0 ends it.
  void stall(std::size_t node, std::int64_t duration);
  bool stalled(std::size_t node) const { return nodes_[node].stalled_until > now_ns(); }

  void reset_counters();
  /// For a person: bytes, processor time, and how late packets were delivered against the plan.
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
  /// Memory of packets that is used again.
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
