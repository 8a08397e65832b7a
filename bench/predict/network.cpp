// SPDX-License-Identifier: BSD-3-Clause
#include "predict/network.hpp"

#include <algorithm>
#include <iterator>

#include "predict/json_file.hpp"
#include "weft/error.hpp"

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

Network read_network(const std::filesystem::path& file, double per_node) {
  const JsonFile json(file);
  const auto& root = json.root();
  if (!root.is_object() || root.value("benchmark", nlohmann::json()) != "network")
    throw json.wrong("This is not a file of weft bench network --json.", "Give such a file, or --latency and --rate.");
  Network network;
  for (const auto& result : json.list(root, "results")) {
    const auto& key = json.object(result, "key");
    const auto path = json.text(key, "path"), parameter = json.text(key, "parameter"), unit = json.text(result, "unit");
    const double to_si = unit == "us" ? 1e-6 : unit == "ns" ? 1e-9 : 1;
    const Range range{to_si * json.number(result, "median"), to_si * json.number(result, "low"),
                      to_si * json.number(result, "high")};
    if (path == "near" || path == "far") {
      auto& end = path == "near" ? network.near : network.far;
      if (!end) end.emplace();
      if (parameter == "byte" && key.contains("bytes"))
        end->bytes_of_size[json.number(key, "bytes")] = range;
      else
        (parameter == "latency"    ? end->latency
         : parameter == "overhead" ? end->overhead
         : parameter == "point"    ? end->point
                                   : end->byte) = range;
    } else if (path == "all-reduce") {
      network.doubling = range;
    } else {
      network.overlap[path][parameter == "large" ? 1 : 0] = range;
    }
  }
  if (!network.near && !network.far) throw json.wrong("The file contains no latency.", "Measure the network again.");
  const double ranks = json.number(json.object(root, "mpi"), "ranks"),
               nodes = json.number(json.object(root, "machine"), "nodes");
  network.per_node = per_node > 0 ? per_node : std::max(1.0, ranks / std::max(1.0, nodes));
  return network;
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
