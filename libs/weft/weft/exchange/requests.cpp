// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/requests.hpp"

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft {

Places::Places(std::vector<Region> by_turn) : all_(std::move(by_turn)) {
  if (all_.empty()) throw Error("a part has no place to lie in. give one region, or one a turn.");
  for (const auto& region : all_)
    if (region.bytes() != bytes())
      throw Error("a part has places of " + std::to_string(bytes()) + " and " + std::to_string(region.bytes()) +
                  " bytes. give all its turns the same size.");
}

bool Places::is_contiguous() const { return std::ranges::all_of(all_, &Region::is_contiguous); }
bool Places::is_writable() const { return std::ranges::all_of(all_, &Region::is_writable); }

void Requests::check_open() const {
  if (sealed_)
    throw Error("client '" + client_ +
                "' asks for more after its exchange was committed. list everything before commit(), or make a new "
                "exchange (a StepManager makes one after changed()).");
}

Part Requests::add(Request request) {
  check_open();
  if (request.round < 0)
    throw Error("client '" + client_ + "' asks for round " + std::to_string(request.round) + ". rounds start at 0.");
  rounds_ = std::max(rounds_, request.round + 1);
  list_.push_back(std::move(request));
  return {number_, static_cast<std::uint32_t>(list_.size() - 1)};
}

SendPart Requests::send(int peer, Key key, Places places, int round) {
  return {add({.kind = Request::Kind::send, .round = round, .peer = peer, .key = key, .places = std::move(places)})};
}

ReceivePart Requests::receive(int peer, Key key, Places places, int round) {
  if (!places.is_writable())
    throw Error("client '" + client_ + "', key " + std::to_string(key) + " receives into constant memory.");
  return {add({.kind = Request::Kind::receive, .round = round, .peer = peer, .key = key, .places = std::move(places)})};
}

void Requests::relay(int round, std::function<void()> then) {
  check_open();
  if (round != static_cast<int>(relays_.size()))
    throw Error("client '" + client_ + "' relays round " + std::to_string(round) + " out of turn (round " +
                std::to_string(relays_.size()) + " is next).");
  relays_.push_back(std::move(then));
}

CollectivePart Requests::collective(Collective what, int round) {
  return {
      add({.kind = Request::Kind::collective, .round = round, .key = collectives_++, .collective = std::move(what)})};
}

Requests Requests::renumbered(std::uint32_t number) const {
  auto copy = *this;
  copy.number_ = number;
  copy.sealed_ = false;
  return copy;
}

}  // namespace weft
