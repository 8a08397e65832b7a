// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/relays.hpp"

#include <algorithm>

#include "weft/exchange/inside/run.hpp"

namespace weft::inside {

Relays::Relays(const Layout& layout, Messages& messages) : chains_(layout.clients.size()) {
  for (std::uint32_t c = 0; c < chains_.size(); ++c) {
    auto& [relays, needed, unready, has_begun] = chains_[c];
    for (const auto& then : layout.clients[c].relays()) {
      auto& relay = *relays.emplace_back(std::make_unique<Relay>());
      relay.then = &then;
      if (relays.size() > 1) relays[relays.size() - 2]->after = &relay;
    }
    const auto& list = layout.clients[c].list();
    for (std::uint32_t i = 0; i < list.size() && !relays.empty(); ++i) {
      const auto round = static_cast<std::size_t>(list[i].round);
      if (round == 0 && list[i].kind != Request::Kind::receive) ++needed;
      auto* message = messages.of_part[{c, i}].message;
      if (message == nullptr) continue;
      if (layout.leaves_by_relay({c, i})) relays[round - 1]->leaving.push_back(message);
      if (round >= relays.size()) continue;
      auto* relay = relays[round].get();
      if (std::ranges::find(message->relays, relay) != message->relays.end()) continue;
      message->relays.push_back(relay);
      ++relay->messages;
    }
  }
}

void Relays::prepare() {
  for (auto& chain : chains_) {
    for (auto& relay : chain.relays) relay->pending.store(relay->messages + 1, std::memory_order_relaxed);
    chain.unready = chain.needed;
    chain.has_begun = false;
  }
}

void Relays::note_ready(std::uint32_t client, Run& run) {
  auto& chain = chains_[client];
  if (!chain.relays.empty() && --chain.unready == 0) begin(client, run);
}

void Relays::begin(std::uint32_t client, Run& run) {
  auto& chain = chains_[client];
  if (chain.relays.empty() || chain.has_begun) return;
  chain.has_begun = true;
  count_down(*chain.relays.front(), run);
}

void Relays::count_down(Relay& relay, Run& run) const {
  if (relay.pending.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  if (*relay.then) (*relay.then)();
  for (auto* message : relay.leaving)
    if (message->count_ready()) message->leave(run);
  if (relay.after != nullptr) count_down(*relay.after, run);
}

std::optional<std::uint32_t> Relays::not_begun() const {
  for (std::uint32_t c = 0; c < chains_.size(); ++c)
    if (!chains_[c].relays.empty() && !chains_[c].has_begun) return c;
  return {};
}

}  // namespace weft::inside
