// SPDX-License-Identifier: BSD-3-Clause
#include "core/tests/weft/exchange/misuse_one.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace weft::testing {

void One::make_inner(Rank& rank, const ExchangeOptions& options) {
  inner = std::make_unique<Exchange>(rank.world, ExchangeOptions{.progress = options.progress});
  inner_numbers = std::make_unique<std::array<int, 2>>();
  auto& client = inner->client("inner");
  client.send((rank.rank + 1) % rank.size, 1, contiguous(std::span(*inner_numbers).first(1)));
  client.receive((rank.rank + rank.size - 1) % rank.size, 1, contiguous(std::span(*inner_numbers).last(1)));
}

void One::misuse(Rank& rank, int round) {
  auto& own = rank.own;
  const auto c = own.size_below(clients.size());
  const auto& client = *clients[c];
  const auto number = static_cast<std::uint32_t>(c);
  const auto sends = client.sends(round), receives = client.receives(round);
  const auto is_marked = [&](Part part) { return marked[part.client][part.index] != 0; };
  const auto no = [&](const char* text, const std::function<void()>& call) { rank.refused("a call", call, text); };
  switch (own.below(17)) {
    case 0: return no("does not have", [&] { messages.ready(SendPart{{99, 0}}); });
    case 1: return no("does not have", [&] { messages.ready(SendPart{{number, 9999}}); });
    case 2:
      if (!receives.empty()) no("is a receive", [&] { messages.ready(SendPart{receives[0]}); });
      return;
    case 3:
      if (sends.empty()) return;
      if (client.is_continued(round))
        return no("but a continuation sends it", [&] { messages.ready(SendPart{sends[0]}); });
      if (is_marked(sends[0])) no("is marked ready twice", [&] { messages.ready(SendPart{sends[0]}); });
      return;
    case 4: return no("out of order", [&] { messages.wait(round + 1); });
    case 5: return no("The last start was not waited for", [&] { exchange->start().wait(); });
    case 6: return no("committed twice", [&] { exchange->commit(); });
    case 7: return no("is added after commit()", [&] { exchange->client("late"); });
    case 8:
      if (receives.empty()) return;
      if (!deferred) return no("may have been unpacked already", [&] { messages.accept(ReceivePart{receives[0]}); });
      if (is_marked(receives[0])) no("is accepted twice", [&] { messages.accept(ReceivePart{receives[0]}); });
      return;
    case 9:
      if (!sends.empty()) no("is not a receive", [&] { messages.accept(ReceivePart{sends[0]}); });
      return;
    case 10: return no("has no client", [&] { messages.ready_all(77, 0); });
    case 11: return no("does not have", [&] { (void)messages.arrived(ReceivePart{{1, 999}}); });
    case 12: return no("requests more", [&] { lists[c]->barrier(); });
    case 13: {
      if (continuations) return;  // a continuation may use the handle
      auto moved = std::move(messages);
      EXPECT_TRUE(messages.is_over());  // NOLINT(bugprone-use-after-move): the test is about this
      no("The start was waited for already", [&] { messages.wait(); });
      messages = std::move(moved);
      return;
    }
    case 14:
      if (!receives.empty()) no("The last start was not waited for", [&] { exchange->rebind(receives[0], Region{}); });
      return;
    case 15: messages.progress(); return;
    default: static_cast<void>(messages.test()); return;
  }
}

Actions One::calls_of_round(Rank& rank, int round, std::uint64_t step) {
  Actions calls;
  for (std::uint32_t c = 0; c < clients.size(); ++c) {
    auto& client = *clients[c];
    if (round >= client.shape.rounds) continue;
    const auto set = [this](Part part) { marked[part.client][part.index] = 1; };
    if (!client.is_continued(round)) {
      client.fill(round, step);
      const auto specials = client.specials(round);
      const bool all = rank.own.chance(3) || client.shape.continuations;
      for (const auto part : all ? specials : client.sends(round))
        calls.emplace_back([this, &client, set, part, step] {
          if (marked[part.client][part.index] == 0) client.mark(messages, part, step);
          set(part);
        });
      if (!all)
        for (const auto part : client.collectives(round))
          calls.emplace_back([this, set, part] {
            messages.ready(part);
            set(part);
          });
      if (all)  // after the special ones
        calls.emplace_back([this, &client, set, c, round, specials, step] {
          for (const auto part : specials)
            if (marked[part.client][part.index] == 0) client.mark(messages, part, step), set(part);
          messages.ready_all(c, round);
          for (const auto part : client.sends(round)) set(part);
          for (const auto part : client.collectives(round)) set(part);
        });
    }
    if (!deferred) continue;
    for (const auto part : client.receives(round))
      calls.emplace_back([this, set, part] {
        messages.accept(ReceivePart{part});
        set(part);
      });
  }
  return calls;
}

void One::ready_everything(int round) {
  for (std::uint32_t c = 0; c < clients.size(); ++c) {
    auto& client = *clients[c];
    const auto step = client.step_of_continuations;
    if (round < client.shape.rounds && !client.is_continued(round)) {
      client.fill(round, step);
      for (const auto part : client.specials(round)) client.mark(messages, part, step);
    }
    messages.ready_all(c, round);
    messages.accept_all(c, round);
  }
}

}  // namespace weft::testing
