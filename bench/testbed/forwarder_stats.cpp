// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "testbed/forwarder.hpp"

namespace weft::testbed {
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
