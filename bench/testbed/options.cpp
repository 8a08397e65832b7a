// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/options.hpp"

namespace weft::testbed {
namespace {

// The value of option number `i`; advances `i` to it.
const std::string& value_of(const Arguments& arguments, std::size_t& i) {
  if (i + 1 == arguments.size()) refuse(arguments[i] + " needs a value.");
  return arguments[++i];
}

bool is_of_links(const Arguments& arguments, std::size_t& i, LinkOptions& links) {
  const auto& option = arguments[i];
  if (option == "--latency")
    links.latency = parse_time(option, value_of(arguments, i));
  else if (option == "--rate")
    links.rate = parse_rate(option, value_of(arguments, i));
  else if (option == "--jitter")
    links.jitter = parse_time(option, value_of(arguments, i));
  else
    return false;
  return true;
}

void check_jitter(const LinkOptions& links) {
  if (links.jitter > links.latency)
    refuse("--jitter is greater than --latency (a packet would arrive before it leaves). Give a smaller jitter.");
}

}  // namespace

LinkOptions parse_links(const Arguments& arguments, LinkOptions links) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!is_of_links(arguments, i, links))
      refuse("'" + arguments[i] + "' is not an option. Give --latency, --rate or --jitter.");
  check_jitter(links);
  return links;
}

UpOptions parse_up(const Arguments& arguments) {
  if (arguments.empty())
    refuse("The number of nodes is missing. Use tools/testbed up NODES [--latency 1ms] [--rate 1gbit] [--jitter 0].");
  UpOptions o;
  o.nodes = parse_integer("NODES", arguments[0], 1, most_nodes);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const auto& option = arguments[i];
    if (is_of_links(arguments, i, o.links)) continue;
    if (option == "--seed")
      o.seed = static_cast<unsigned>(parse_integer(option, value_of(arguments, i), 0, 1'000'000'000));
    else if (option == "--mtu")
      o.node.mtu = parse_integer(option, value_of(arguments, i), 576, 65000);
    else if (option == "--ttl")
      o.seconds = parse_integer(option, value_of(arguments, i), 0, 1'000'000'000);
    else if (option == "--with")
      o.guardian = parse_integer(option, value_of(arguments, i), 1, 1'000'000'000);
    else if (option == "--no-tso")
      o.node.segments_offloaded = false;
    else if (option == "--no-rt")
      o.real_time = false;
    else
      refuse(
          "'" + option +
          "' is not an option. Give --latency, --rate, --jitter, --seed, --mtu, --ttl, --with, --no-tso or --no-rt.");
  }
  check_jitter(o.links);
  return o;
}

}  // namespace weft::testbed
