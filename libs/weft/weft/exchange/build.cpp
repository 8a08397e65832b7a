// SPDX-License-Identifier: BSD-3-Clause
//
// How a committed exchange gets its messages.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "weft/error.hpp"
#include "weft/exchange/agreement.hpp"
#include "weft/exchange/message.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

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
  for (auto& client : clients_) client.seal();
  agree(*transport_, clients_, options_, [this](const Agreement& agreement) { prepare(agreement); });
  build();
  committed_ = true;
  if (options_.progress) options_.progress->attach(*this);
}

// What this rank can do and refuse alone, before the ranks build together.
void Exchange::prepare(const Agreement& agreement) {
  options_.packed_limit_bytes = agreement.packed_limit_bytes;
  options_.by_size_bytes = agreement.by_size_bytes;
  options_.piece_bytes = agreement.piece_bytes;
  all_rounds_ = agreement.rounds;
  turns_ = agreement.turns;
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
  assign_tags(plan_);
  if (const int tags = tags_of(plan_); tags > transport_->last_tag())
    throw Error("rank " + std::to_string(transport_->rank()) + " has " + std::to_string(tags) +
                " messages and pieces for one peer, but this transport (" + transport_->library() + ") has tags to " +
                std::to_string(transport_->last_tag()) + " only. group parts per peer, or make pieces larger.");
  for (const auto& client : clients_)
    if (options_.held && !client.relays().empty())
      throw Error("client '" + client.client() +
                  "' relays rounds, but this exchange holds what arrives. give it an exchange of its own.");
  queues_ = options_.progress && options_.progress->queues();
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
    offset += request(part).places.bytes();
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
    message.by_turn.emplace_back().push_back(transport_->collective(request(part).collective));
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
  relaying_.resize(clients_.size());
  for (std::uint32_t c = 0; c < clients_.size(); ++c) {
    auto& [relays, needed, unready, has_begun] = relaying_[c];
    for (const auto& then : clients_[c].relays()) {
      auto& relay = *relays.emplace_back(std::make_unique<Relay>());
      relay.then = &then;
      if (relays.size() > 1) relays[relays.size() - 2]->after = &relay;
    }
    const auto& list = clients_[c].list();
    for (std::uint32_t i = 0; i < list.size() && !relays.empty(); ++i) {
      const auto round = static_cast<std::size_t>(list[i].round);
      if (round == 0 && list[i].kind != Request::Kind::receive) ++needed;
      auto* message = place_of_[c][i].message;
      if (message == nullptr) continue;
      if (list[i].kind == Request::Kind::send && round > 0 && round <= relays.size())
        relays[round - 1]->next.push_back({c, i});
      if (round >= relays.size()) continue;
      auto* relay = relays[round].get();
      if (std::find(message->relays.begin(), message->relays.end(), relay) != message->relays.end()) continue;
      message->relays.push_back(relay);
      ++relay->messages;
    }
  }
}

// Packed, or sent from where it lies if that is one run (of each turn); whole or in pieces. What is held must not land
// where it belongs.
void Exchange::build_pieces(Message& message, const MessagePlan& plan) {
  const bool partitioned = options_.carrier == Carrier::partitioned;
  const auto mode = options_.carrier == Carrier::synchronous ? SendMode::synchronous : SendMode::standard;
  const auto& only = request(plan.parts.front()).places;
  // Partitioned operations meet once and for all, so there is one of them whatever the turns of its two ends.
  const bool direct =
      plan.parts.size() == 1 && only.is_contiguous() && message.held == 0 && !(partitioned && only.turns() > 1);
  const auto count = static_cast<std::size_t>(plan.pieces), each = plan.piece_bytes();
  // Partitions have one size, so the last is padded.
  if (!direct) message.make_buffer(partitioned ? count * each : plan.bytes);
  for (std::size_t turn = 0; turn < (direct ? only.turns() : 1); ++turn) {
    const auto data = direct ? only.at(turn).run() : message.buffer;
    auto& pieces = message.by_turn.emplace_back();
    if (partitioned) {
      pieces = plan.send ? transport_->send_partitions(data, plan.pieces, plan.peer, plan.tag)
                         : transport_->receive_partitions(data, plan.pieces, plan.peer, plan.tag);
      continue;
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto piece = data.subspan(k * each, std::min(each, plan.bytes - k * each));
      const int tag = plan.tag + static_cast<int>(k);
      pieces.push_back(plan.send ? transport_->send(piece, plan.peer, tag, mode)
                                 : transport_->receive(piece, plan.peer, tag));
    }
  }
  if (partitioned && plan.send && count > 1 && !message.relayed) message.missing.resize(count);
}

std::vector<Region> Exchange::regions_of(const std::vector<Part>& parts, std::size_t turn) const {
  std::vector<Region> regions;
  for (const auto part : parts) regions.push_back(request(part).places.at(turn));
  return regions;
}

std::size_t Exchange::turns_of(const std::vector<Part>& parts) const {
  std::size_t turns = 1;
  for (const auto part : parts) turns = std::max(turns, request(part).places.turns());
  return turns;
}

void Exchange::build_datatypes(Message& message, const MessagePlan& plan) {
  if (message.held > 0) {
    message.make_buffer(plan.bytes);
    message.by_turn.emplace_back().push_back(transport_->receive(message.buffer, plan.peer, plan.tag));
    return;
  }
  for (std::size_t turn = 0; turn < turns_of(plan.parts); ++turn) {
    const auto regions = regions_of(plan.parts, turn);
    message.by_turn.emplace_back().push_back(plan.send ? transport_->send_regions(regions, plan.peer, plan.tag)
                                                       : transport_->receive_regions(regions, plan.peer, plan.tag));
  }
}

// Collective, so ranks whose own rounds or turns are fewer take part in the others'.
void Exchange::build_neighbourhoods(const std::vector<const MessagePlan*>& messages) {
  for (int round = 0; round < all_rounds_; ++round) {
    std::vector<const MessagePlan*> sends, receives;
    std::vector<Part> parts;
    std::size_t bytes = 0;
    for (const auto* plan : messages)
      if (plan->round == round) (plan->send ? sends : receives).push_back(plan);
    // Received ones first, so that their offsets are those in a buffer of them.
    for (const auto* list : {&receives, &sends})
      for (const auto* plan : *list) parts.insert(parts.end(), plan->parts.begin(), plan->parts.end());
    for (const auto* plan : receives) bytes += plan->bytes;
    std::vector<std::byte> buffer(options_.held ? bytes : 0);
    std::vector<Operations> by_turn;
    for (std::size_t turn = 0; turn < turns_; ++turn) {
      std::vector<Lane> out, in;
      for (const auto* plan : sends) out.push_back({plan->peer, regions_of(plan->parts, turn)});
      std::size_t offset = 0;
      for (const auto* plan : receives) {
        in.push_back({plan->peer, options_.held
                                      ? std::vector<Region>{contiguous(std::span(buffer).subspan(offset, plan->bytes))}
                                      : regions_of(plan->parts, turn)});
        offset += plan->bytes;
      }
      if (auto operation = transport_->neighbourhood(out, in)) by_turn.emplace_back().push_back(std::move(operation));
    }
    if (by_turn.empty()) continue;
    auto& message = append({.peer = -1, .round = round, .parts = std::move(parts)});
    message.kind = Message::Kind::neighbourhood;
    message.bytes = bytes;
    message.own_buffer = std::move(buffer);
    message.buffer = message.own_buffer;
    message.to_unpack = message.held;
    message.by_turn = std::move(by_turn);
  }
}

// Most parts are copied straight from one region to the other; the buffer is for the largest of the rest.
std::size_t Exchange::buffer_to_self(const MessagePlan& sent, const Message& received) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < sent.parts.size(); ++i)
    for (std::size_t turn = 0; turn < turns_; ++turn) {
      const auto& from = request(sent.parts[i]).places.at(turn);
      if (!from.copies_to(request(received.parts[i]).places.at(turn))) bytes = std::max(bytes, from.bytes());
    }
  return bytes;
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
    message->make_buffer(buffer_to_self(*plan, *message->self_receive));
  }
}

// Each message lies in its sender's piece of the shared memory; the sender tells the receiver where.
void Exchange::build_shared(const std::vector<std::pair<Message*, const MessagePlan*>>& messages) {
  std::map<int, std::vector<std::uint64_t>> offsets;  // by peer, in the order of the tags
  std::size_t bytes = 0;
  for (const auto& [message, plan] : messages) {
    if (!plan->send) continue;
    offsets[plan->peer].push_back(bytes);
    bytes += SharedHeader::size(plan->bytes);
  }
  BytesByRank out;
  for (const auto& [peer, list] : offsets) {
    const auto raw = std::as_bytes(std::span(list));
    out[peer].assign(raw.begin(), raw.end());
  }
  auto told = sparse_all_to_all(*transport_, out, transport_->last_tag() - 1);
  shared_memory_ = transport_->share(bytes);
  std::map<std::pair<bool, int>, std::size_t>
      next;  // by direction and peer; a lane's messages are in the order of their tags
  for (const auto& [message, plan] : messages) {
    const auto number = next[{plan->send, plan->peer}]++;
    std::uint64_t offset = 0;
    if (plan->send)
      offset = offsets[plan->peer][number];
    else
      std::memcpy(&offset, told[plan->peer].data() + number * sizeof offset, sizeof offset);
    auto* place = shared_memory_->at(plan->send ? transport_->rank() : plan->peer) + offset;
    // Both ends see the sender's object, which lives as long as the memory.
    auto& header = plan->send ? *new (place) SharedHeader : *std::launder(reinterpret_cast<SharedHeader*>(place));
    message->buffer = {header.data(), plan->bytes};
    auto& pieces = message->by_turn.emplace_back();
    if (plan->send) {
      pieces.push_back(std::make_unique<SharedSend>(header, *shared_memory_));
    } else {
      auto receive = std::make_unique<SharedReceive>(header, *shared_memory_);
      message->shared = receive.get();
      pieces.push_back(std::move(receive));
    }
  }
  barrier(*transport_);  // no header is made after its first use
}

}  // namespace weft
