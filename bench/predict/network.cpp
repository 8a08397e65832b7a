// SPDX-License-Identifier: BSD-3-Clause
#include "predict/network.hpp"

#include <algorithm>
#include <iterator>

namespace weft::predict {

double at(const Range& range, Outlook outlook) {
  return outlook == Outlook::likely ? range.value : outlook == Outlook::good ? range.low : range.high;
}

Range Path::byte_of(double message) const {
  if (bytes_of_size.empty()) return byte;
  const auto above = bytes_of_size.lower_bound(message);
  if (above == bytes_of_size.begin()) return above->second;
  if (above == bytes_of_size.end()) return bytes_of_size.rbegin()->second;
  const auto below = std::prev(above);
  const auto &a = below->second, &b = above->second;
  const double share = (message - below->first) / (above->first - below->first);
  // A value in between may be like either.
  return {a.value + share * (b.value - a.value), std::min(a.low, b.low), std::max(a.high, b.high)};
}

const Path& Network::path(bool between_nodes) const {
  if (between_nodes && far) return *far;
  return near ? *near : *far;
}

const std::array<Range, 2>& Network::shares(const std::string& progress) const {
  static constexpr std::array<Range, 2> none{};
  auto found = overlap.find(progress);
  if (found == overlap.end())
    found = overlap.find("polling");  // send_receive_threads, or a thread that was not measured
  return found == overlap.end() ? none : found->second;
}

Network given_network(const GivenNetwork& given) {
  Network network;
  network.per_node = given.per_node;
  network.far = Path{.latency = Range::exact(given.latency_seconds),
                     .overhead = Range::exact(given.overhead_seconds),
                     .point = Range::exact(0),
                     .byte = Range::exact(1 / given.bytes_per_second)};
  network.doubling = Range::exact(2 * (given.latency_seconds + given.overhead_seconds));
  const auto all = Range::exact(1);
  network.overlap = {{"passive", {all, all}}, {"polling", {all, all}}, {"thread", {all, all}}};
  return network;
}

}  // namespace weft::predict
