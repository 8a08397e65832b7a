// SPDX-License-Identifier: BSD-3-Clause
//
// What an exchange writes down and says.
#include <cstdio>
#include <set>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/exchange/message.hpp"

namespace weft {

// Writes down the round. A client's wait lasts until the last of its own messages, the exchange's until the last of
// all; likewise the time in flight, which begins with the round's first departure from this rank.
void Exchange::finish_round(int round, double waited_from) {
  auto& timeline = *options_.timeline;
  const auto& flight = rounds_[static_cast<std::size_t>(round)];
  const double until = now_seconds(), departed = flight.departed.load(std::memory_order_relaxed);
  double last_of_all = 0;
  for (std::uint32_t c = 0; c < clients_.size(); ++c) {
    double last = 0;
    for (const auto& message : messages_)
      if (message->round == round && message->carries(c)) last = std::max(last, message->finished);
    if (last == 0) continue;
    if (last > waited_from) timeline.add(tracks_[c], Activity::wait, waited_from, last);
    if (departed > 0) timeline.add(tracks_[c], Activity::in_flight, departed, last);
    last_of_all = std::max(last_of_all, last);
  }
  for (const auto& message : messages_) {
    if (message->round != round) continue;
    if (message->pack_seconds > 0) add_shares(*message, Activity::pack);
    if (message->unpack_seconds > 0) add_shares(*message, Activity::unpack);
  }
  timeline.add(own_track_, Activity::wait, waited_from, until);
  if (last_of_all > 0 && departed > 0) timeline.add(own_track_, Activity::in_flight, departed, last_of_all);
}

// One time was measured; each part has its share by bytes.
void Exchange::add_shares(const Message& message, Activity activity) {
  const bool packs = activity == Activity::pack;
  const double seconds = packs ? message.pack_seconds : message.unpack_seconds;
  double at = (packs ? message.packed_at : message.finished) - seconds;
  for (const auto part : message.parts) {
    if (request(part).kind != (packs ? Request::Kind::send : Request::Kind::receive)) continue;
    const auto share = static_cast<double>(request(part).places.bytes()) / static_cast<double>(message.bytes);
    const double next = at + share * seconds;
    options_.timeline->add(tracks_[part.client], activity, at, next);
    at = next;
  }
}

std::string Exchange::describe(Part part) const {
  const auto& r = request(part);
  const auto name = "client '" + clients_[part.client].client() + "', ";
  if (r.kind == Request::Kind::collective) return name + name_of(r.collective.kind) + " " + std::to_string(r.key);
  return name + "key " + std::to_string(r.key) + (r.kind == Request::Kind::send ? " to rank " : " from rank ") +
         std::to_string(r.peer);
}

void Exchange::throw_unready(int round) const {
  for (const auto& message : messages_)
    if (message->round == round)
      for (const auto part : message->parts) {
        const bool receives = request(part).kind == Request::Kind::receive;
        if (is_ready_[part.client][part.index] || (receives && !options_.held)) continue;
        throw Error(describe(part) + (receives ? " was not accepted" : " was not marked ready") + " in round " +
                    std::to_string(round) + " (the wait would never end). call " + (receives ? "accept" : "ready") +
                    "() before wait().");
      }
  throw Error("a part was not marked ready.");
}

void Exchange::complain(int round, double seconds) const {
  std::string text;
  for (const auto& message : messages_) {
    if (message->round != round || message->state.load(std::memory_order_acquire) == Message::State::done) continue;
    for (const auto part : message->parts)
      text += "\n  " + describe(part) + ", " + std::to_string(request(part).places.bytes()) + " bytes";
  }
  std::fprintf(stderr, "weft: rank %d has waited %.0f s in round %d for:%s\n", transport_->rank(), seconds, round,
               text.c_str());
}

std::string Exchange::describe() const {
  std::string text =
      "rank " + std::to_string(transport_->rank()) + ": " + std::to_string(plan_.messages.size()) + " messages, " +
      std::to_string(plan_.collectives.size()) + " collectives, " + std::to_string(plan_.rounds) +
      " rounds, carried as " + name_of(options_.carrier) + ", grouped " + name_of(options_.grouping) +
      (options_.grouping == Grouping::by_size ? " up to " + std::to_string(options_.by_size_bytes) + " bytes"
                                              : std::string()) +
      (options_.shared_memory ? ", within a node in shared memory" : "") +
      (options_.held ? ", held until accepted" : "") + "\n";
  for (const auto& m : plan_.messages) {
    text += std::string("  round ") + std::to_string(m.round) + (m.send ? " to " : " from ") + std::to_string(m.peer) +
            ": " + std::to_string(m.bytes) + " bytes in " + std::to_string(m.parts.size()) + " parts" +
            (m.pieces > 1 ? ", cut into " + std::to_string(m.pieces) + " pieces" : std::string()) + " (";
    std::set<std::string> names;
    for (const auto part : m.parts) names.insert(clients_[part.client].client());
    for (const auto& name : names) text += (name == *names.begin() ? "" : ", ") + name;
    text += ")\n";
  }
  return text;
}

}  // namespace weft
