// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/layout.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "weft/error.hpp"
#include "weft/exchange/inside/overlaps.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::inside {
namespace {

// About one partition per part; fewer if the last would be padding only.
int partitions_of(const MessagePlan& message) {
  const auto bytes = message.bytes, wished = std::min<std::size_t>(message.parts.size(), most_pieces);
  const auto each = (bytes + wished - 1) / wished;
  return static_cast<int>((bytes + each - 1) / each);
}

// Continuations carry only parts: a collective in a round that a continuation starts would never be marked ready.
void check_continuations(const Requests& client, bool deferred) {
  if (client.continuations().empty()) return;
  if (deferred)
    throw Error("Client '" + client.client() +
                "' has continuations, but this exchange defers unpacking. Give the client an exchange of its own.");
  for (const auto& request : client.list())
    if (request.kind == Request::Kind::collective && client.is_continued(request.round))
      throw Error("Client '" + client.client() + "' has a collective in round " + std::to_string(request.round) +
                  ", which a continuation starts (it carries only parts). Give the collective a client of its own.");
}

}  // namespace

Layout::Layout(ExchangeOptions wanted, const Transport& transport)
    : options(std::move(wanted)), rank(transport.rank()), size(transport.size()) {
  options.messages = resolved(options.messages, transport);
  queues = options.progress && options.progress->queues();
}

std::uint32_t Layout::add(const Requests& requests) {
  Timeline::check_client(requests.client());
  for (const auto& other : clients)
    if (other.client() == requests.client())
      throw Error("Two clients are called '" + requests.client() + "'. Give each client its own name.");
  const auto number = static_cast<std::uint32_t>(clients.size());
  clients.push_back(requests.renumbered(number));
  return number;
}

void Layout::seal() {
  for (auto& client : clients) client.seal();
}

// Both ends list the same: the other parts are known to agree.
void Layout::add_indices() {
  std::map<std::pair<Request::Kind, int>, int> first;  // round, by direction and peer
  for (const auto& client : clients)
    for (const auto& r : client.list()) {
      if (r.kind == Request::Kind::collective || r.peer == rank || r.most_bytes() == 0) continue;
      const auto [found, is_new] = first.try_emplace({r.kind, r.peer}, r.round);
      found->second = std::min(found->second, r.round);
    }
  Requests own("", static_cast<std::uint32_t>(clients.size()));
  for (const auto& [lane, round] : first)
    if (const auto& [kind, peer] = lane; kind == Request::Kind::send)
      indices.sends.push_back(own.send(peer, 0, contiguous(std::span<const std::uint64_t>(&indices.mine, 1)), round));
    else
      indices.receives.push_back(
          own.receive(peer, 0, contiguous(std::span(&indices.of_peers.emplace_back(), 1)), round));
  own.seal();
  clients.push_back(std::move(own));
}

// The host must not touch memory of a device, nor a device the host's.
void Layout::check_side(Part part, const void* address, const device::Device* own) const {
  for (const auto& device : devices)
    if (address != nullptr && device->has(address) != (device.get() == own))
      throw Error(describe(part) + (device.get() == own ? " is not" : " is") + " in memory of " + device->name() +
                  ". Give its region on() the device whose memory it is, and collectives memory of the host.");
}

void Layout::check_devices() {
  const auto each = [this](const auto& visit) {
    for (std::uint32_t c = 0; c < clients.size(); ++c)
      for (std::uint32_t i = 0; i < clients[c].list().size(); ++i) visit(Part{c, i}, request({c, i}));
  };
  devices.clear();
  each([&](Part, const Request& r) {
    if (r.buffers.device()) devices.insert(r.buffers.device());
  });
  if (devices.empty()) return;
  each([&](Part part, const Request& r) {
    for (const void* address :
         {static_cast<const void*>(r.collective.in.data()), static_cast<const void*>(r.collective.out.data())})
      check_side(part, address, nullptr);
    const auto& device = r.buffers.device();
    for (std::size_t i = 0; r.buffers.has_memory() && r.buffers.bytes() > 0 && i < r.buffers.buffer_count(); ++i)
      check_side(part, r.buffers.at(i).layout().base, device.get());
    if (device && r.is_up_to)
      throw Error(describe(part) +
                  " is a part of up to n bytes in memory of a device. Give it memory of the host, or a "
                  "fixed size.");
    if (device && r.combine && !device->combines(r.combine.reduction()))
      throw Error(describe(part) + " is combined by a function that " + device->name() +
                  " can't call. Use sum, minimum or maximum of int32, int64, uint64, float or double.");
  });
}

void Layout::make_plan(const Agreement& agreement, const Transport& transport) {
  for (const auto& client : clients) check_continuations(client, options.messages.defer_unpacking);
  check_devices();
  if (agreement.buffer_count > 1 && options.compares_buffer_indices) add_indices();
  auto& of_messages = options.messages;
  of_messages.packed_limit_bytes = agreement.packed_limit_bytes;
  of_messages.by_size_bytes = agreement.by_size_bytes;
  of_messages.piece_bytes = agreement.piece_bytes;
  buffer_count = agreement.buffer_count;
  // Carriers whose sizes are fixed at commit send parts of up to n bytes as separate packed messages.
  const bool by_node = of_messages.grouping == Grouping::per_node;
  const bool apart =
      by_node || of_messages.carrier == Carrier::datatypes || of_messages.carrier == Carrier::partitioned;
  plan = weft::make_plan(clients, of_messages.grouping, message_limit(of_messages), agreement.piece_bytes, apart);
  plan.rounds = agreement.rounds;  // of all ranks, so that a program may wait for a round in which it has nothing
  for (auto& message : plan.messages) {
    const bool in_memory = is_in_shared_memory(message, transport) || goes_by_node(message, transport);
    if (in_memory || (apart && !message.is_up_to)) message.pieces = 1;
    if (!in_memory && !message.is_up_to && of_messages.carrier == Carrier::partitioned)
      message.pieces = partitions_of(message);
  }
  given.clear();
  for (std::uint32_t c = 0; c < clients.size(); ++c)
    for (std::uint32_t i = 0; i < clients[c].list().size(); ++i)
      if (request({c, i}).buffers.is_given()) given.push_back({c, i});
  turns = parts_in_turn(clients, buffer_count);
  limit(transport);
  assign_tags(plan);
}

// If one direction has more requests than may be active at a time.
void Layout::limit(const Transport& transport) {
  const auto most = options.messages.most_requests;
  for (const bool sends : {false, true}) {
    const auto is_request = [&](const MessagePlan& message) {
      return message.send == sends && message.peer != rank && !is_in_shared_memory(message, transport) &&
             !goes_by_node(message, transport);
    };
    std::size_t requests = 0;
    for (const auto& message : plan.messages)
      requests += is_request(message) ? static_cast<std::size_t>(message.pieces) : 0;
    for (auto& message : plan.messages) message.is_limited = most > 0 && requests > most && is_request(message);
  }
}

void Layout::drop_plan() {
  std::erase_if(clients, [](const Requests& client) { return client.client().empty(); });
  indices = {};
  plan = {};
}

// The memory is allocated at commit, so parts with a very large bound go by messages.
bool Layout::is_in_shared_memory(const MessagePlan& message, const Transport& transport) const {
  constexpr std::size_t most = std::size_t{1} << 20;
  return options.messages.shared_memory && message.peer != rank && (!message.is_up_to || message.bytes <= most) &&
         transport.shares_memory_with(message.peer);
}

// Large messages gain nothing.
bool Layout::goes_by_node(const MessagePlan& message, const Transport& transport) const {
  return options.messages.grouping == Grouping::per_node && message.peer != rank && !message.is_up_to &&
         message.bytes <= options.messages.packed_limit_bytes && !transport.shares_memory_with(message.peer);
}

void Layout::check(Part part, const char* done) const {
  if (part.client >= clients.size() || part.index >= clients[part.client].list().size())
    throw Error("A part that this exchange does not have is " + std::string(done) +
                ". Use the parts that its own send(), receive() and collectives returned.");
}

void Layout::check_client(std::uint32_t client) const {
  if (client >= clients.size())
    throw Error("This exchange has no client " + std::to_string(client) + " (it has " + std::to_string(clients.size()) +
                "). Use the number that add() returned.");
}

std::string Layout::describe(Part part) const {
  const auto& r = request(part);
  const auto name = "Client '" + clients[part.client].client() + "', ";
  if (r.kind == Request::Kind::collective) return name + name_of(r.collective.kind) + " " + std::to_string(r.key);
  return name + "key " + std::to_string(r.key) + (r.kind == Request::Kind::send ? " to rank " : " from rank ") +
         std::to_string(r.peer);
}

std::string Layout::names() const {
  std::string text;
  for (const auto& client : clients) text += (text.empty() ? "'" : ", '") + client.client() + "'";
  return text;
}

std::string Layout::describe() const {
  const auto& of_messages = options.messages;
  std::string text =
      "rank " + std::to_string(rank) + ": " + std::to_string(plan.messages.size()) + " messages, " +
      std::to_string(plan.collectives.size()) + " collectives, " + std::to_string(plan.rounds) +
      " rounds, carried as " + name_of(of_messages.carrier) + ", grouped " + name_of(of_messages.grouping) +
      (of_messages.grouping == Grouping::by_size ? " up to " + std::to_string(of_messages.by_size_bytes) + " bytes"
                                                 : std::string()) +
      (of_messages.shared_memory ? ", within a node in shared memory" : "") +
      (of_messages.defer_unpacking ? ", unpacked when accepted" : "") + "\n";
  for (const auto& m : plan.messages) {
    text += std::string("  round ") + std::to_string(m.round) + (m.send ? " to " : " from ") + std::to_string(m.peer) +
            ": " + std::to_string(m.bytes) + " bytes in " + std::to_string(m.parts.size()) + " parts" +
            (m.pieces > 1 ? ", cut into " + std::to_string(m.pieces) + " pieces" : std::string()) + " (";
    std::set<std::string> names;
    for (const auto part : m.parts) names.insert(clients[part.client].client());
    for (const auto& name : names)
      text += (name == *names.begin() ? "" : ", ") + (name.empty() ? "buffer index" : name);
    text += ")\n";
  }
  return text;
}

}  // namespace weft::inside
