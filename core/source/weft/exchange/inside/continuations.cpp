// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/continuations.hpp"

#include <algorithm>
#include <utility>

namespace weft::inside {
namespace {

thread_local const Continuations* running = nullptr;  // of which this thread calls a continuation

}  // namespace

bool Continuations::is_running() const { return running == this; }

Continuations::Continuations(const Layout& layout, Messages& messages) : chains_(layout.clients.size()) {
  for (std::uint32_t c = 0; c < chains_.size(); ++c) {
    auto& [continuations, needed, unready, has_begun] = chains_[c];
    for (const auto& then : layout.clients[c].continuations()) {
      auto& continuation = *continuations.emplace_back(std::make_unique<Continuation>());
      continuation.then = &then;
      if (continuations.size() > 1) continuations[continuations.size() - 2]->after = &continuation;
    }
    const auto& list = layout.clients[c].list();
    for (std::uint32_t i = 0; i < list.size() && !continuations.empty(); ++i) {
      const auto round = static_cast<std::size_t>(list[i].round);
      if (round == 0 && list[i].kind != Request::Kind::receive) ++needed;
      auto* message = messages.of_part[{c, i}].message;
      if (message == nullptr) continue;
      if (layout.leaves_by_continuation({c, i})) continuations[round - 1]->leaving.push_back(message);
      if (round >= continuations.size()) continue;
      auto* continuation = continuations[round].get();
      auto& waiting = continuation->waiting_for;
      if (std::ranges::find(waiting, message) != waiting.end()) continue;
      waiting.push_back(message);
      message->when_done.emplace_back([this, continuation] { count_down(*continuation); });
    }
  }
}

void Continuations::prepare() {
  for (auto& chain : chains_) {
    for (auto& continuation : chain.continuations)
      continuation->pending.store(continuation->waiting_for.size() + 1, std::memory_order_relaxed);
    chain.unready = chain.needed;
    chain.has_begun = false;
  }
}

void Continuations::note_ready(std::uint32_t client) {
  auto& chain = chains_[client];
  if (!chain.continuations.empty() && --chain.unready == 0) begin(client);
}

void Continuations::begin(std::uint32_t client) {
  auto& chain = chains_[client];
  if (chain.continuations.empty() || chain.has_begun) return;
  chain.has_begun = true;
  count_down(*chain.continuations.front());
}

void Continuations::count_down(Continuation& continuation) const {
  if (continuation.pending.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  if (*continuation.then) {
    struct Running {
      ~Running() { running = outer; }
      const Continuations* outer;
    } const restores{std::exchange(running, this)};
    (*continuation.then)();
  }
  for (auto* message : continuation.leaving)
    if (message->count_ready()) message->leave();
  if (continuation.after != nullptr) count_down(*continuation.after);
}

std::optional<std::uint32_t> Continuations::not_begun() const {
  for (std::uint32_t c = 0; c < chains_.size(); ++c)
    if (!chains_[c].continuations.empty() && !chains_[c].has_begun) return c;
  return {};
}

}  // namespace weft::inside
