// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/requests.hpp"

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft {

Part Requests::add(Request request) {
  if (request.round < 0)
    throw Error("client '" + client_ + "' asks for round " + std::to_string(request.round) + ". rounds start at 0.");
  rounds_ = std::max(rounds_, request.round + 1);
  list_.push_back(std::move(request));
  return {number_, static_cast<std::uint32_t>(list_.size() - 1)};
}

Part Requests::send(int peer, Key key, Region region, int round) {
  return add({.kind = Request::Kind::send, .round = round, .peer = peer, .key = key, .region = std::move(region)});
}

Part Requests::receive(int peer, Key key, Region region, int round) {
  if (!region.is_writable())
    throw Error("client '" + client_ + "', key " + std::to_string(key) + " receives into constant memory.");
  return add({.kind = Request::Kind::receive, .round = round, .peer = peer, .key = key, .region = std::move(region)});
}

void Requests::relay(int round, std::function<void()> then) {
  if (round != static_cast<int>(relays_.size()))
    throw Error("client '" + client_ + "' relays round " + std::to_string(round) + " out of turn (round " +
                std::to_string(relays_.size()) + " is next).");
  relays_.push_back(std::move(then));
}

Part Requests::collective(Collective what, int round) {
  return add({.kind = Request::Kind::collective, .round = round, .key = collectives_++, .collective = std::move(what)});
}

}  // namespace weft
