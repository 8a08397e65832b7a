// SPDX-License-Identifier: BSD-3-Clause
//
// An exchange that is started many times: correctly, with errors, cancelled, and correctly again.
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "tests/libs/weft/exchange/misuse_model.hpp"
#include "weft/error.hpp"
#include "weft/yield.hpp"

namespace weft::testing {
namespace {

// The end of a start; the same on all ranks.
enum class Ending : std::uint8_t { waits, tests, goes, is_let_go, dies };

struct Starts {
  Starts(Rank& of_rank, std::uint64_t number);
  void play(std::uint64_t step);
  void step(std::uint64_t step, Failure failure, Ending ending);
  void round(StartedExchange& messages, int round, std::uint64_t step, bool waits);
  void misuse(StartedExchange& messages, int round);
  void point();
  void check(std::uint64_t step) const;
  bool is_marked(Part part) const { return marked[part.client][part.index] != 0; }
  template <class P>
  void mark(StartedExchange& messages, P part) {
    marked[part.client][part.index] = 1;
    messages.ready(part);
  }

  Rank& rank;
  std::uint64_t act;
  int rounds = 1;
  bool deferred = false;
  std::vector<std::unique_ptr<Moves>> clients;
  std::vector<Requests*> lists;
  std::vector<std::vector<char>> marked;  // ready() or accept() was called
  std::unique_ptr<Exchange> exchange;
  int points = 0, fails_at = -1;  // number of actions so far in this step on this rank, and the one that fails
  int continuation_fails = -1;    // the round whose continuation fails
  std::uint64_t kind = 0;         // of the exception
};

Starts::Starts(Rank& of_rank, std::uint64_t number) : rank(of_rank), act(number) {
  auto random = rank.common({act});
  const bool continuations = random.chance(2);
  const std::size_t turns = random.chance(3) ? 2 : 1;
  const auto options = exchange_options(rank, rank.options({act, 1}, continuations));
  deferred = options.messages.defer_unpacking;
  exchange = std::make_unique<Exchange>(rank.world, options);
  const int n = 1 + random.below(3);
  for (int c = 0; c < n; ++c) {
    Moves::Shape shape{.rounds = 1 + random.below(3), .turns = turns, .largest = 1 + random.size_below(3000)};
    shape.continuations = continuations && random.chance(2);
    shape.reduces = !shape.continuations && random.chance(2);
    rounds = std::max(rounds, shape.rounds);
    auto& moves = *clients.emplace_back(std::make_unique<Moves>(rank, act * 10 + static_cast<std::uint64_t>(c), shape));
    moves.in_continuation = [this](int of_round) {
      if (of_round == continuation_fails) Rank::fail(kind);
    };
    auto& list = exchange->client("client " + std::to_string(c));
    moves.list(list);
    lists.push_back(&list);
    marked.emplace_back(list.list().size(), char{0});
  }
}

void Starts::point() {
  if (points++ == fails_at) Rank::fail(kind);
}

void Starts::check(std::uint64_t step) const {
  for (const auto& client : clients)
    for (int round = 0; round < client->shape.rounds; ++round)
      EXPECT_TRUE(client->is_right(round, step)) << "round " << round << " of step " << step;
}

// A call that is wrong at this point and does no harm.
void Starts::misuse(StartedExchange& messages, int round) {
  auto& own = rank.own;
  const auto c = own.size_below(clients.size());
  const auto& client = *clients[c];
  const auto number = static_cast<std::uint32_t>(c);
  const auto sends = client.sends(round);
  const auto receives = client.receives(round);
  const bool is_continued = client.shape.continuations && round > 0;
  switch (own.below(16)) {
    case 0:
      return rank.refused(
          "ready",
          [&] {
            messages.ready(SendPart{{99, 0}});
          },
          "does not have");
    case 1:
      return rank.refused(
          "ready",
          [&] {
            messages.ready(SendPart{{number, 9999}});
          },
          "does not have");
    case 2:
      if (!receives.empty())
        rank.refused(
            "ready", [&] { messages.ready(SendPart{receives[0]}); }, "is a receive");
      return;
    case 3:
      if (sends.empty()) return;
      if (is_continued)
        return rank.refused(
            "ready", [&] { messages.ready(sends[0]); }, "but a continuation sends it");
      if (is_marked(sends[0]))
        rank.refused(
            "ready", [&] { messages.ready(sends[0]); }, "is marked ready twice");
      return;
    case 4:
      return rank.refused(
          "wait", [&] { messages.wait(round + 1); }, "out of order");
    case 5:
      return rank.refused(
          "start", [&] { exchange->start().wait(); }, "The last start was not waited for");
    case 6:
      return rank.refused(
          "commit", [&] { exchange->commit(); }, "committed twice");
    case 7:
      return rank.refused(
          "client", [&] { exchange->client("late"); }, "is added after commit()");
    case 8:
      if (receives.empty()) return;
      if (!deferred)
        rank.refused(
            "accept", [&] { messages.accept(receives[0]); }, "may have been unpacked already");
      else if (is_marked(receives[0]))
        rank.refused(
            "accept", [&] { messages.accept(receives[0]); }, "is accepted twice");
      return;
    case 9:
      if (!sends.empty())
        rank.refused(
            "accept", [&] { messages.accept(ReceivePart{sends[0]}); }, "is not a receive");
      return;
    case 10:
      return rank.refused(
          "ready_all", [&] { messages.ready_all(77, 0); }, "has no client");
    case 11:
      return rank.refused(
          "arrived",
          [&] {
            (void)messages.arrived(ReceivePart{{1, 999}});
          },
          "does not have");
    case 12:
      return rank.refused(
          "barrier", [&] { lists[c]->barrier(); }, "requests more");
    case 13: {
      auto moved = std::move(messages);
      EXPECT_TRUE(messages.is_over());  // NOLINT(bugprone-use-after-move): the test is about this
      rank.refused(
          "wait", [&] { messages.wait(); }, "The start was waited for already");
      messages = std::move(moved);
      return;
    }
    case 14: messages.progress(); return;
    default: static_cast<void>(messages.test()); return;
  }
}

void Starts::round(StartedExchange& messages, int round, std::uint64_t step, bool waits) {
  auto& own = rank.own;
  std::vector<std::function<void()>> calls;
  for (std::size_t c = 0; c < clients.size(); ++c) {
    auto& client = *clients[c];
    const auto number = static_cast<std::uint32_t>(c);
    if (round >= client.shape.rounds) continue;
    const bool is_continued = client.shape.continuations && round > 0;
    if (!is_continued) {
      client.fill(round, step);
      if (own.chance(3)) {
        calls.emplace_back([&, number, round] {
          for (const auto& list : {clients[number]->sends(round)})
            for (const auto part : list) marked[number][part.index] = 1;
          for (const auto part : clients[number]->collectives(round)) marked[number][part.index] = 1;
          messages.ready_all(number, round);
        });
      } else {
        for (const auto part : client.sends(round)) calls.emplace_back([&, part] { mark(messages, part); });
        for (const auto part : client.collectives(round)) calls.emplace_back([&, part] { mark(messages, part); });
        if (client.shape.continuations && client.sends(0).empty())
          calls.emplace_back([&, number] { messages.ready_all(number, 0); });
      }
    }
    if (!deferred) continue;
    for (const auto part : client.receives(round))
      calls.emplace_back([&, part] {
        marked[part.client][part.index] = 1;
        messages.accept(part);
      });
  }
  own.shuffle(calls);
  // One call is omitted, and made up for later.
  std::function<void()> forgotten;
  if (waits && !calls.empty() && own.chance(4)) {
    forgotten = std::move(calls.back());
    calls.pop_back();
  }
  for (const auto& call : calls) {
    point();
    if (own.chance(4)) misuse(messages, round);
    // A continuation may throw in ready(). If the rank continues, wait() must report the error.
    if (own.chance(2)) {
      call();
    } else {
      EXPECT_TRUE(rank.attempt(call) || continuation_fails >= 0 || rank.watched.escapes) << "ready() or accept() fails";
    }
    if (own.chance(4)) messages.progress();
  }
  if (forgotten) {
    // The message may be empty, and then no rank waits for it.
    if (continuation_fails < 0 && own.chance(2)) {
      bool is_over = true;
      try {
        messages.wait(round);
      } catch (const PeerError&) {
        throw;
      } catch (const Error& e) {
        const std::string said = e.what();
        is_over = false;
        if (said.find("was not marked ready") == said.npos && said.find("was not accepted") == said.npos &&
            said.find("continuations that were not begun") == said.npos)
          throw;
      }
      if (is_over) return;
    }
    forgotten();
  }
  point();
  if (waits) messages.wait(round);
}

void Starts::step(std::uint64_t step, Failure failure, Ending ending) {
  auto& own = rank.own;
  for (auto& of_client : marked) std::fill(of_client.begin(), of_client.end(), char{0});
  for (auto& client : clients) client->step_of_continuations = step;
  points = 0;
  fails_at = continuation_fails = -1;
  kind = own.next();
  if (failure.hits(rank.rank)) own.chance(3) ? continuation_fails = own.below(rounds) : fails_at = own.below(12);
  auto messages = exchange->start(step);
  if (ending == Ending::is_let_go) {
    if (own.chance(2)) return;
    for (const auto part : clients[0]->sends(0))
      if (own.chance(2)) messages.ready(part);
    return;
  }
  if (ending == Ending::waits) {
    for (int r = 0; r < rounds; ++r) round(messages, r, step, true);
  } else {
    for (int r = 0; r < rounds; ++r) round(messages, r, step, false);
    if (ending == Ending::dies) exchange.reset();
    if (ending == Ending::tests) {
      messages.check_ready();
      while (!messages.test()) {
        messages.watch();
        yield();
      }
      messages.wait();
    }
  }
  if (failure.hits(rank.rank)) Rank::fail(kind);
  if (ending == Ending::goes) {
    StartedExchange other = std::move(messages);
    other = {};
  }
}

void Starts::play(std::uint64_t number) {
  auto random = rank.common({act, 2, number});
  Failure failure;
  if (random.chance(3))
    failure = {random.chance(2) ? Failure::Who::one : Failure::Who::everybody, random.below(rank.size)};
  const bool escapes = failure.who != Failure::Who::nobody && random.chance(8);
  auto ending = Ending::waits;
  if (random.chance(3)) ending = random.chance(2) ? Ending::tests : Ending::goes;
  if (failure.who == Failure::Who::nobody && random.chance(6)) ending = Ending::is_let_go;
  if (failure.who == Failure::Who::nobody && random.chance(12)) ending = Ending::dies;
  if (escapes) {
    rank.watched.escapes = true;
    return step(number, failure, ending);
  }
  rank.at("step", number);
  const bool is_right = rank.attempt([&] { step(number, failure, ending); });
  if (!is_right && exchange) exchange->cancel();
  rank.at("after step", number);
  const bool all = rank.all(is_right);
  EXPECT_TRUE(all || failure.who != Failure::Who::nobody) << "a step without a failure fails";
  if (!all && exchange) exchange->cancel();
  if (all && ending != Ending::is_let_go) check(number);
}

}  // namespace

void play_exchange(Rank& rank, std::uint64_t number) {
  Starts act(rank, number);
  auto& exchange = act.exchange;
  if (rank.own.chance(3))
    rank.refused(
        "start", [&] { exchange->start().wait(); }, "The exchange was not committed");
  if (rank.own.chance(3))
    rank.refused(
        "client", [&] { exchange->client("client 0"); }, "Two clients are called");
  rank.at("commit", number);
  try {
    exchange->commit();
  } catch (const Error& e) {
    const std::string said = e.what();
    if (said.find(" tags ") == said.npos) throw;  // some transports have few tags
    return;
  }
  const std::uint64_t steps = 3 + rank.common({number, 3}).size_below(5);
  for (std::uint64_t step = 0; step < steps && exchange; ++step) act.play(step + number % 2);
  rank.at("end of exchange", number);
}

// Ranks whose requests differ; every rank gets the error.
void play_bad_commit(Rank& rank, std::uint64_t number) {
  auto random = rank.common({number});
  rank.at("bad commit", number);
  auto options = exchange_options(rank, rank.options({number, 1}, true));
  const int one = random.below(rank.size), what = random.below(6);
  const bool is_here = rank.rank == one;
  const char* text = "Client 'bad'";
  if (what == 0 && is_here)
    options.messages.grouping =
        options.messages.grouping == Grouping::per_peer ? Grouping::per_part : Grouping::per_peer;
  if (what == 0) text = "differ in their option 'grouping'";
  options.messages.defer_unpacking = what == 4;
  Exchange exchange(rank.world, options);
  auto& client = exchange.client("bad");
  std::array<int, 4> out{}, in{};
  std::int64_t sum_of_all = 0, mine = 1;
  const int right = (rank.rank + 1) % rank.size, left = (rank.rank + rank.size - 1) % rank.size;
  client.send(right, is_here && what == 1 ? 2 : 1, contiguous(std::span<int>(out)));
  client.receive(left, 1, contiguous(std::span(in).first(is_here && what == 2 ? 3 : 4)));
  if (what == 3 && is_here) client.barrier();
  if (what == 3)
    client.all_reduce(std::span<const std::int64_t>(&mine, 1), std::span(&sum_of_all, 1), sum<std::int64_t>());
  if (what == 3) text = "collective";
  if (what >= 4) client.continuation(0, [] {});
  if (what == 5) client.barrier(1);
  const bool is_right = what == 0 && options.messages.carrier == Carrier::neighbourhood;
  if (is_right || (rank.size == 1 && (what == 0 || what == 3))) return exchange.commit();
  for (int i = 0; i < 2; ++i) {
    rank.refused(
        "commit", [&] { exchange.commit(); }, text);
    rank.refused(
        "start", [&] { exchange.start().wait(); }, "The exchange was not committed");
  }
}

}  // namespace weft::testing
