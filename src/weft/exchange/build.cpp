// SPDX-License-Identifier: BSD-3-Clause
//
// How a committed exchange gets its messages.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "weft/error.hpp"
#include "weft/exchange/message.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {

namespace {

// About one a part; fewer where the last would be padding only.
int partitions_of(const MessagePlan& message) {
  const auto bytes = message.bytes, wished = std::min<std::size_t>(message.parts.size(), most_pieces);
  const auto each = (bytes + wished - 1) / wished;
  return static_cast<int>((bytes + each - 1) / each);
}

}  // namespace

void Exchange::commit() {
  if (committed_) throw Error("an exchange is committed once. make a new one.");
  check_options(*transport_, options_);
  check_ends(*transport_, clients_);
  // Both ends of a message must cut it alike, so the smallest limits hold.
  for (auto* limit : {&options_.packed_limit_bytes, &options_.by_size_bytes, &*options_.piece_bytes})
    *limit =
        static_cast<std::size_t>(all_reduce(*transport_, static_cast<std::uint64_t>(*limit), minimum<std::uint64_t>()));
  if (options_.carrier == Carrier::neighbourhood) {
    options_.grouping = Grouping::per_peer;
    options_.packed_limit_bytes = std::numeric_limits<std::size_t>::max();
  }
  const bool by_size = options_.grouping == Grouping::by_size;
  plan_ = make_plan(clients_, options_.grouping, by_size ? options_.by_size_bytes : options_.packed_limit_bytes,
                    *options_.piece_bytes);
  for (auto& message : plan_.messages)
    if (is_shared(message.peer) || !packs())
      message.pieces = 1;
    else if (options_.carrier == Carrier::partitioned)
      message.pieces = partitions_of(message);
  queues_ = options_.progress && options_.progress->queues();
  build();
  committed_ = true;
  if (options_.progress) options_.progress->attach(*this);
}

Exchange::Message& Exchange::append(const MessagePlan& plan) {
  auto& message = *messages_.emplace_back(std::make_unique<Message>());
  message.kind = plan.send ? Message::Kind::send : Message::Kind::receive;
  message.peer = plan.peer;
  message.round = plan.round;
  message.parts = plan.parts;
  message.bytes = plan.bytes;
  message.piece_bytes = plan.piece_bytes();
  std::size_t offset = 0;
  for (const auto part : plan.parts) {
    place_of_[part.client][part.index] = {&message, offset};
    offset += request(part).region.bytes();
    if (request(part).kind == Request::Kind::send && clients_[part.client].is_relayed(plan.round))
      message.relayed = true;
    if (request(part).kind != Request::Kind::receive)
      ++message.needed;
    else if (options_.held)
      ++message.held;
    if (!message.carries(part.client)) message.clients.push_back(part.client);
  }
  ++rounds_[static_cast<std::size_t>(plan.round)].messages;
  return message;
}

void Exchange::build() {
  if (options_.timeline != nullptr) {
    own_track_ = options_.timeline->track("exchange");
    for (const auto& client : clients_) tracks_.push_back(options_.timeline->track(client.client()));
  }
  for (const auto& client : clients_) {
    place_of_.emplace_back(client.list().size());
    is_ready_.emplace_back(client.list().size(), char{0});
    if (options_.held) held_.emplace_back(client.list().size(), Held::waiting);
  }
  rounds_ = std::make_unique<Flight[]>(static_cast<std::size_t>(plan_.rounds));
  std::vector<std::pair<Message*, const MessagePlan*>> to_self, shared;
  std::vector<const MessagePlan*> neighbours;
  for (const auto& m : plan_.messages) {
    if (m.peer == transport_->rank())
      to_self.emplace_back(&append(m), &m);
    else if (is_shared(m.peer))
      shared.emplace_back(&append(m), &m);
    else if (options_.carrier == Carrier::neighbourhood)
      neighbours.push_back(&m);
    else if (options_.carrier == Carrier::datatypes)
      build_datatypes(append(m), m);
    else
      build_pieces(append(m), m);
  }
  if (options_.carrier == Carrier::neighbourhood) build_neighbourhoods(neighbours);
  build_to_self(to_self);
  if (options_.shared_memory) build_shared(shared);
  for (const auto part : plan_.collectives) {
    auto& message = append({.peer = -1, .round = request(part).round, .parts = {part}});
    message.kind = Message::Kind::collective;
    message.pieces.push_back(transport_->collective(request(part).collective));
    collectives_.push_back(&message);
  }
  build_relays();
  std::size_t leaving = 0, held = 0;
  for (auto& message : messages_) {
    (message->kind == Message::Kind::send ? sending_ : receiving_).messages.push_back(message.get());
    if (message->kind == Message::Kind::receive && !message->buffer.empty()) message->to_unpack = message->parts.size();
    leaving += message->needed;
    held += message->held;
  }
  if (queues_) departures_.reserve(leaving);
  if (options_.held) accepted_.reserve(held);
}

void Exchange::build_relays() {
  relays_.resize(clients_.size());
  relays_begun_.resize(clients_.size());
  for (std::uint32_t c = 0; c < clients_.size(); ++c) {
    if (options_.held && !clients_[c].relays().empty())
      throw Error("client '" + clients_[c].client() +
                  "' relays rounds, but this exchange holds what arrives. give it an exchange of its own.");
    for (const auto& then : clients_[c].relays()) {
      auto& relay = *relays_[c].emplace_back(std::make_unique<Relay>());
      relay.then = &then;
      if (relays_[c].size() > 1) relays_[c][relays_[c].size() - 2]->after = &relay;
    }
    const auto& list = clients_[c].list();
    for (std::uint32_t i = 0; i < list.size() && !relays_[c].empty(); ++i) {
      const auto round = static_cast<std::size_t>(list[i].round);
      auto* message = place_of_[c][i].message;
      if (message == nullptr) continue;
      if (list[i].kind == Request::Kind::send && round > 0 && round <= relays_[c].size())
        relays_[c][round - 1]->next.push_back({c, i});
      if (round >= relays_[c].size()) continue;
      auto* relay = relays_[c][round].get();
      if (std::find(message->relays.begin(), message->relays.end(), relay) != message->relays.end()) continue;
      message->relays.push_back(relay);
      ++relay->messages;
    }
  }
}

// Packed, or sent from where it lies if that is one run; whole or in pieces. What is held must not land where it
// belongs.
void Exchange::build_pieces(Message& message, const MessagePlan& plan) {
  const bool partitioned = options_.carrier == Carrier::partitioned;
  const auto mode = options_.carrier == Carrier::synchronous ? SendMode::synchronous : SendMode::standard;
  const auto& only = request(plan.parts.front()).region;
  const bool direct = plan.parts.size() == 1 && only.is_contiguous() && message.held == 0;
  const auto count = static_cast<std::size_t>(plan.pieces), each = plan.piece_bytes();
  // Partitions have one size, so the last is padded.
  if (!direct) message.make_buffer(partitioned ? count * each : plan.bytes);
  const auto data = direct ? only.run() : message.buffer;
  const int tag = plan.tag * most_pieces;
  if (partitioned) {
    message.pieces = plan.send ? transport_->send_partitions(data, plan.pieces, plan.peer, tag)
                               : transport_->receive_partitions(data, plan.pieces, plan.peer, tag);
    if (plan.send && count > 1 && !message.relayed) message.missing.resize(count);
    return;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const auto piece = data.subspan(k * each, std::min(each, plan.bytes - k * each));
    const int own_tag = tag + static_cast<int>(k);
    message.pieces.push_back(plan.send ? transport_->send(piece, plan.peer, own_tag, mode)
                                       : transport_->receive(piece, plan.peer, own_tag));
  }
}

std::vector<Region> Exchange::regions_of(const std::vector<Part>& parts) const {
  std::vector<Region> regions;
  for (const auto part : parts) regions.push_back(request(part).region);
  return regions;
}

void Exchange::build_datatypes(Message& message, const MessagePlan& plan) {
  if (message.held > 0) {
    message.make_buffer(plan.bytes);
    message.pieces.push_back(transport_->receive(message.buffer, plan.peer, plan.tag));
    return;
  }
  const auto regions = regions_of(plan.parts);
  message.pieces.push_back(plan.send ? transport_->send_regions(regions, plan.peer, plan.tag)
                                     : transport_->receive_regions(regions, plan.peer, plan.tag));
}

// Collective, so ranks whose own rounds are fewer take part in the others'.
void Exchange::build_neighbourhoods(const std::vector<const MessagePlan*>& messages) {
  const int rounds = all_reduce(*transport_, plan_.rounds, maximum<int>());
  for (int round = 0; round < rounds; ++round) {
    std::vector<Lane> sends, receives;
    std::vector<Part> parts, sent;
    std::size_t bytes = 0;
    for (const auto* plan : messages) {
      if (plan->round != round) continue;
      (plan->send ? sends : receives).push_back({plan->peer, regions_of(plan->parts)});
      auto& list = plan->send ? sent : parts;
      list.insert(list.end(), plan->parts.begin(), plan->parts.end());
      if (!plan->send) bytes += plan->bytes;
    }
    parts.insert(parts.end(), sent.begin(),
                 sent.end());  // so that the received ones' offsets are those in a buffer of them
    std::vector<std::byte> buffer(options_.held ? bytes : 0);
    std::size_t offset = 0;
    for (auto& lane : receives)
      if (options_.held) {
        const auto n = std::accumulate(lane.regions.begin(), lane.regions.end(), std::size_t{0},
                                       [](std::size_t sum, const Region& region) { return sum + region.bytes(); });
        lane.regions = {contiguous(std::span(buffer).subspan(offset, n))};
        offset += n;
      }
    auto operation = transport_->neighbourhood(sends, receives);
    if (!operation) continue;
    auto& message = append({.peer = -1, .round = round, .parts = std::move(parts)});
    message.kind = Message::Kind::neighbourhood;
    message.bytes = bytes;
    message.own_buffer = std::move(buffer);
    message.buffer = message.own_buffer;
    message.to_unpack = message.held;
    message.pieces.push_back(std::move(operation));
  }
}

void Exchange::build_to_self(const std::vector<std::pair<Message*, const MessagePlan*>>& messages) {
  std::map<int, Message*> receives;  // by tag
  for (const auto& [message, plan] : messages)
    if (!plan->send) receives[plan->tag] = message;
  for (const auto& [message, plan] : messages) {
    if (!plan->send) continue;
    message->self_receive = receives.at(plan->tag);
    if (message->self_receive->held > 0) {
      message->self_receive->make_buffer(plan->bytes);
      message->buffer = message->self_receive->buffer;
      continue;
    }
    // Most parts are copied straight from one region to the other; the buffer is for the largest of the rest.
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < plan->parts.size(); ++i) {
      const auto& from = request(plan->parts[i]).region;
      if (!from.copies_to(request(message->self_receive->parts[i]).region)) bytes = std::max(bytes, from.bytes());
    }
    message->make_buffer(bytes);
  }
}

// Each message lies in its sender's piece of the shared memory; the sender tells the receiver where.
void Exchange::build_shared(const std::vector<std::pair<Message*, const MessagePlan*>>& messages) {
  std::vector<std::vector<std::uint64_t>> offsets(static_cast<std::size_t>(transport_->size()));  // by peer, then tag
  std::size_t bytes = 0;
  for (const auto& [message, plan] : messages) {
    if (!plan->send) continue;
    offsets[static_cast<std::size_t>(plan->peer)].push_back(bytes);
    bytes += SharedHeader::size(plan->bytes);
  }
  const auto told = all_to_all(*transport_, offsets);
  shared_memory_ = transport_->share(bytes);
  std::map<std::pair<bool, int>, std::size_t>
      next;  // by direction and peer; a lane's messages are in the order of their tags
  for (const auto& [message, plan] : messages) {
    const auto peer = static_cast<std::size_t>(plan->peer);
    const auto offset = (plan->send ? offsets : told)[peer][next[{plan->send, plan->peer}]++];
    auto* place = shared_memory_->at(plan->send ? transport_->rank() : plan->peer) + offset;
    // Both ends see the sender's object, which lives as long as the memory.
    auto& header = plan->send ? *new (place) SharedHeader : *std::launder(reinterpret_cast<SharedHeader*>(place));
    message->buffer = {header.data(), plan->bytes};
    if (plan->send) {
      message->pieces.push_back(std::make_unique<SharedSend>(header, *shared_memory_));
    } else {
      auto receive = std::make_unique<SharedReceive>(header, *shared_memory_);
      message->shared = receive.get();
      message->pieces.push_back(std::move(receive));
    }
  }
  barrier(*transport_);  // no header is made after its first use
}

}  // namespace weft
