// SPDX-License-Identifier: BSD-3-Clause
#include "predict/step_time.hpp"

#include <algorithm>
#include <cmath>

namespace weft::predict {
namespace {

using Client = RunProfile::Client;

double doublings_of(double ranks) { return std::log2(std::max(1.0, ranks)); }

// Costs of messages to and from one rank, from the view of one exchange.
struct Costs {
  double near_latency, far_latency, overhead, point, doubling;
  double near_doublings;  // rounds of a tree that stay within a node
  const Path *near, *far;
  double leaving;  // the fraction of bytes that leaves the node
  Outlook outlook;

  double byte(double message) const {
    return leaving * at(far->byte_of(message), outlook) + (1 - leaving) * at(near->byte_of(message), outlook);
  }
};

Costs costs_of(const Network& network, double ranks, Outlook outlook) {
  const bool between = ranks > network.per_node;
  const auto &far = network.path(between), &near = network.path(false);
  // Of the faces of a node's block of ranks only the outer ones leave the node.
  const double leaving = between ? 1 / std::cbrt(network.per_node) : 1;
  return {.near_latency = at(near.latency, outlook),
          .far_latency = at(far.latency, outlook),
          .overhead = at(far.overhead, outlook),
          .point = at(far.point, outlook),
          .doubling = at(network.doubling, outlook),
          .near_doublings = network.near && between ? doublings_of(network.per_node) : 0,
          .near = &near,
          .far = &far,
          .leaving = leaving,
          .outlook = outlook};
}

// The transfer time of these bytes, in messages of the client's mean size.
double way_of(const Client& client, double bytes, const Costs& costs) {
  return bytes * costs.byte(bytes / std::max(1.0, client.alone.messages));
}

// The same for one exchange of all clients, whose messages resemble those of the client with the most bytes.
double way_of_all(const Load& load, const Costs& costs) {
  const auto most = std::ranges::max_element(load.clients, {}, [](const Client& c) { return c.alone.bytes; });
  return most == load.clients.end() ? 0 : way_of(*most, std::max(most->alone.bytes, load.together.bytes), costs);
}

// The contribution of one client's messages to an exchange.
struct Part {
  double first = 0;   // the latency of its first messages, which move as soon as they are sent
  double bytes = 0;   // and the transfer time of the bytes on the same path
  double chain = 0;   // dependent messages, which need progress calls
  double rounds = 0;  // of the chain
};

Part part_of(const Client& client, const Costs& costs, double ranks, double way) {
  const auto& t = client.alone;
  Part part;
  if (t.rounds > 0) {
    const double near = client.tree ? std::min(t.rounds, costs.near_doublings) : 0;
    const double all = near * costs.near_latency + (t.rounds - near) * costs.far_latency;
    part.first = all / t.rounds;
    part.bytes = way;
    part.chain = all - all / t.rounds;
    part.rounds = std::max(0.0, t.rounds - 1);
  }
  if (t.collectives > 0) {  // the library's rounds
    const double collective = t.collectives * costs.doubling * doublings_of(ranks);
    part.chain += collective;
    part.rounds += doublings_of(ranks);
  }
  return part;
}

// Seconds of computation between the posting of a client's messages and the wait for them.
double window_of(const std::vector<Client>& clients, std::size_t which, bool coalesce) {
  if (!coalesce) return clients[which].during;
  double window = 0;
  for (std::size_t i = 0; i < clients.size(); ++i) window += clients[i].during + (i > which ? clients[i].before : 0);
  return window;
}

}  // namespace

std::string name_of(const Strategy& strategy) {
  return (strategy.coalesce ? "coalesced, " : "each alone, ") + strategy.progress;
}

StepTime step_time(const Load& load, const Network& network, const Strategy& strategy, Outlook outlook) {
  const double ranks = load.ranks;
  const auto costs = costs_of(network, ranks, outlook);
  const bool driven = strategy.progress != "passive";
  const auto reverse = outlook == Outlook::good ? Outlook::bad : outlook == Outlook::bad ? Outlook::good : outlook;
  StepTime time{.compute = load.compute + load.pack};
  const double together = way_of_all(load, costs);
  double late = 0, exposed_together = 0, flight_together = 0;
  if (strategy.coalesce) time.calls = load.together.messages * costs.overhead + load.together.points * costs.point;
  for (std::size_t i = 0; i < load.clients.size(); ++i) {
    const auto& client = load.clients[i];
    const auto& t = client.alone;
    if (!strategy.coalesce) time.calls += t.messages * costs.overhead + t.points * costs.point;
    // All bytes of an exchange share the path: a reduction's first messages are part of those of the faces.
    const auto part = part_of(client, costs, ranks, strategy.coalesce ? together : way_of(client, t.bytes, costs));
    const double flight = part.first + part.bytes + part.chain;
    if (flight == 0) continue;
    const double window = window_of(load.clients, i, strategy.coalesce);
    const auto& shares = network.shares(strategy.progress);
    const double latency_share = at(shares[0], reverse), byte_share = at(shares[1], reverse);
    // A chain advances at progress calls; the rest of it then waits for all ranks that it joins.
    double moved = driven ? 1 : 0;
    if (strategy.progress == "polling" && part.rounds > 0) moved = std::min(1.0, load.polls / part.rounds);
    const double overlapped =
        std::min(window, latency_share * (part.first + moved * part.chain) + byte_share * part.bytes);
    const double exposed = flight - overlapped;
    const bool waits_for_all = (t.rounds > 1 || t.collectives > 0) && client.tree && moved < 1;
    const double slack = waits_for_all ? 0 : std::max(0.0, window - flight);
    late = std::max(late, load.lateness(client.tree ? ranks : t.peers + 1) - slack);
    if (strategy.coalesce) {
      exposed_together = std::max(exposed_together, exposed);
      flight_together = std::max(flight_together, flight);
    } else {
      exposed_together += exposed;
      flight_together += flight;
    }
  }
  time.exposed = exposed_together;
  time.flight = flight_together;
  // The rank that computed most over a whole run: its permanent part, and the random part of its steps.
  const double accident = load.lateness(ranks) / std::sqrt(load.steps);
  time.late = std::sqrt(load.imbalance * load.imbalance + std::max(accident * accident, late * late));
  return time;
}

}  // namespace weft::predict
