// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/forwarder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <new>

namespace weft::testbed {

namespace {

constexpr std::size_t big_bytes = 66 * 1024;  // an unsegmented packet with its headers
constexpr std::size_t small_bytes = 2048;     // acknowledgements, small messages
constexpr std::int64_t frame_bytes = 38;      // Ethernet's preamble, header, checksum and gap
constexpr std::int64_t queue_limit_bytes = 64 << 20;
constexpr auto never = std::numeric_limits<std::int64_t>::max();

}  // namespace

char* Forwarder::Pool::take(bool is_small) {
  auto& free_ones = is_small ? small : big;
  if (!free_ones.empty()) {
    char* data = free_ones.back();
    free_ones.pop_back();
    return data;
  }
  auto* data = static_cast<char*>(std::malloc(is_small ? small_bytes : big_bytes));
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

void Forwarder::Pool::give(char* data, bool is_small) {
  auto& free_ones = is_small ? small : big;
  if (free_ones.size() < 4096)
    free_ones.push_back(data);
  else
    std::free(data);
}

Forwarder::Forwarder(const std::vector<int>& devices, std::uint32_t subnet, LinkOptions links, unsigned seed)
    : devices_(devices), nodes_(devices.size()), subnet_(subnet), links_(links) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    nodes_[i].device = devices[i];
    nodes_[i].random.seed(seed + static_cast<unsigned>(i));
  }
  for (const bool small : {true, false}) {  // touch the memory now, not with the first packets
    std::vector<char*> touched(small ? 1024 : 256);
    for (auto& data : touched) std::memset(data = pool_.take(small), 1, small ? small_bytes : big_bytes);
    for (auto* data : touched) pool_.give(data, small);
  }
  reset_counters();
}

std::int64_t Forwarder::wire_time(const char* packet, std::uint32_t size) const {
  if (links_.rate == 0) return 0;
  VnetHeader header;
  std::memcpy(&header, packet, sizeof header);
  std::int64_t bytes = static_cast<std::int64_t>(size - sizeof header), frames = 1;
  if (header.gso_type != 0 && header.gso_size != 0) {  // several unsegmented frames: each has headers of its own
    const std::int64_t payload = bytes - header.hdr_len;
    frames = std::max<std::int64_t>(1, (payload + header.gso_size - 1) / header.gso_size);
    bytes += (frames - 1) * header.hdr_len;
  }
  bytes += frames * frame_bytes;
  return static_cast<std::int64_t>(static_cast<double>(bytes) * 8e9 / static_cast<double>(links_.rate));
}

std::int64_t Forwarder::travel_time(Node& node) const {
  if (links_.jitter == 0) return links_.latency;
  return links_.latency + std::uniform_int_distribution<std::int64_t>(-links_.jitter, links_.jitter)(node.random);
}

void Forwarder::ingest(std::size_t node) {
  for (int burst = 0; burst < 64 && ingest_one(node); ++burst) {
  }
}

bool Forwarder::ingest_one(std::size_t from) {
  Node& node = nodes_[from];
  char* data = pool_.take(false);
  const ssize_t bytes = read(node.device, data, big_bytes);
  if (bytes <= 0) {
    pool_.give(data, false);
    return false;
  }
  const auto now = now_ns() - usually_late();
  const auto* ip = reinterpret_cast<unsigned char*>(data) + sizeof(VnetHeader);
  std::uint32_t to = 0;
  if (static_cast<std::size_t>(bytes) >= sizeof(VnetHeader) + 20 && ip[0] >> 4 == 4)
    to = (std::uint32_t{ip[16]} << 24 | std::uint32_t{ip[17]} << 16 | std::uint32_t{ip[18]} << 8 | ip[19]) - subnet_;
  const bool ours = to >= 1 && to <= nodes_.size();  // no IPv6, multicast, broadcast
  if (!ours || std::max(node.queued, nodes_[to - 1].queued) + bytes > queue_limit_bytes) {
    node.dropped += ours ? 1 : 0;
    pool_.give(data, false);
    return true;
  }
  Packet p{data,
           static_cast<std::uint32_t>(bytes),
           static_cast<std::size_t>(bytes) <= small_bytes,
           static_cast<std::uint8_t>(to - 1),
           0,
           0};
  p.wire_ns = wire_time(data, p.bytes);
  if (p.small) {
    p.data = pool_.take(true);
    std::memcpy(p.data, data, p.bytes);
    pool_.give(data, false);
  }
  node.up_free = std::max(node.up_free, now) + p.wire_ns;
  node.last_arrival = p.when = std::max(node.last_arrival, node.up_free + travel_time(node));
  node.up.push_back(p);
  node.queued += bytes;
  ++node.sent_packets;
  node.sent_bytes += static_cast<std::size_t>(bytes) - sizeof(VnetHeader);
  return true;
}

// Processes arrivals at the switch, in order of time.
void Forwarder::switch_due(std::int64_t now) {
  for (;;) {
    Node* first = nullptr;
    for (auto& node : nodes_)
      if (!node.up.empty() && (first == nullptr || node.up.front().when < first->up.front().when)) first = &node;
    if (first == nullptr || first->up.front().when > now) return;
    Packet p = first->up.front();
    first->up.pop_front();
    first->queued -= p.bytes;
    Node& to = nodes_[p.to];
    to.down_free = p.when = std::max(p.when, to.down_free + p.wire_ns);
    to.down.push_back(p);
    to.queued += p.bytes;
  }
}

void Forwarder::deliver_due(Node& node, std::int64_t now) {
  while (!node.down.empty() && node.down.front().when <= now) {
    const Packet p = node.down.front();
    node.down.pop_front();
    const auto late = now_ns() - p.when;
    ssize_t written;
    do written = write(node.device, p.data, p.bytes);
    while (written < 0 && errno == EINTR);
    if (written < 0) ++node.dropped;
    std::size_t bucket = 0;
    for (auto us = late / 1000; us > 0 && bucket < 23; us >>= 1) ++bucket;
    ++late_[bucket];
    ++delivered_;
    latest_ns_ = std::max(latest_ns_, late);
    ++node.received_packets;
    node.received_bytes += p.bytes - sizeof(VnetHeader);
    node.queued -= p.bytes;
    pool_.give(p.data, p.small);
  }
}

std::int64_t Forwarder::advance() {
  for (;;) {
    const auto early = usually_late(), now = now_ns() + early;
    switch_due(now);
    auto next = never;
    for (auto& node : nodes_) {
      deliver_due(node, now);
      if (!node.down.empty()) next = std::min(next, node.down.front().when);
      if (!node.up.empty()) next = std::min(next, node.up.front().when);
    }
    if (next == never) return -1;
    if (next > now_ns() + early) return next - early;
  }
}

void Forwarder::woke_late_by(std::int64_t ns) {
  usually_late_ += (std::clamp<std::int64_t>(ns, 0, 200'000) - usually_late_) / 16;
}

void Forwarder::stall(std::size_t index, std::int64_t duration) {
  Node& node = nodes_[index];
  const auto now = now_ns();
  const auto shift = now + duration - std::max(now, node.stalled_until);  // below 0 if a stall ends early
  node.stalled_until = now + duration;
  const auto later = [&](std::int64_t& when) { when = std::max(when, now) + shift; };
  for (auto* queue : {&node.up, &node.down})
    for (auto& p : *queue) later(p.when);
  for (auto* when : {&node.up_free, &node.down_free, &node.last_arrival}) later(*when);
}

namespace {

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class... Numbers>
std::string line(const char* format, Numbers... numbers) {
  char text[256];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

}  // namespace

void Forwarder::reset_counters() {
  std::fill(std::begin(late_), std::end(late_), 0);
  delivered_ = 0;
  latest_ns_ = 0;
  for (auto& n : nodes_) n.sent_packets = n.sent_bytes = n.received_packets = n.received_bytes = n.dropped = 0;
  processor_from_ = processor_seconds();
  counted_from_ = now_ns();
}

// A quantile of the delays, as the upper edge of its bucket.
std::int64_t Forwarder::late_quantile_us(double q) const {
  const auto wanted = static_cast<std::uint64_t>(q * static_cast<double>(delivered_));
  std::uint64_t so_far = 0;
  for (int b = 0; b < 24; ++b)
    if ((so_far += late_[b]) > wanted) return std::int64_t{1} << b;
  return 0;
}

std::string Forwarder::stats() const {
  auto text =
      line("latency_us %.3f jitter_us %.3f rate_bit_s %lld nodes %zu\n", static_cast<double>(links_.latency) / 1e3,
           static_cast<double>(links_.jitter) / 1e3, static_cast<long long>(links_.rate), nodes_.size());
  text += line("wall_s %.3f forwarder_cpu_s %.4f delivered %llu\n", static_cast<double>(now_ns() - counted_from_) / 1e9,
               processor_seconds() - processor_from_, static_cast<unsigned long long>(delivered_));
  text += line("late_us p50<%lld p99<%lld max=%.0f\n", static_cast<long long>(late_quantile_us(0.5)),
               static_cast<long long>(late_quantile_us(0.99)), static_cast<double>(latest_ns_) / 1e3);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto& n = nodes_[i];
    text += line("node%zu sent %llu packets %llu bytes, received %llu packets %llu bytes, dropped %llu%s\n", i,
                 static_cast<unsigned long long>(n.sent_packets), static_cast<unsigned long long>(n.sent_bytes),
                 static_cast<unsigned long long>(n.received_packets), static_cast<unsigned long long>(n.received_bytes),
                 static_cast<unsigned long long>(n.dropped), stalled(i) ? ", stalled" : "");
  }
  return text;
}

}  // namespace weft::testbed
