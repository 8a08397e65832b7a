// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges, alone or several of one MessageSpace, which are active at once.
#include <gtest/gtest.h>

#include <exception>
#include <utility>

#include "core/tests/weft/exchange/misuse_one.hpp"
#include "weft/error.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/yield.hpp"

namespace weft::testing {
namespace {

// The end of a start; the same on all ranks.
enum class Ending : std::uint8_t { waits, tests, goes, endings };

class Exchanges final : public Thing {
 public:
  Exchanges(Rank& rank, std::uint64_t number);
  void prepare() override;
  void step(std::uint64_t number) override;
  void fail() noexcept override;
  bool has_failed() const override;
  void learn() override;
  Actions calls() override;
  void forget() override;
  Actions ends() override;

 private:
  void continue_(One& one, int round);
  void point(One& one);
  void start(One& one, std::uint64_t step);
  void round(One& one, int round, std::uint64_t step, Ending ending);
  void finish(One& one, std::uint64_t step, Ending ending);

  Rank& rank_;
  std::uint64_t number_;
  std::unique_ptr<MessageSpace> space_;
  std::vector<std::unique_ptr<One>> all_;
  bool is_alone_ = true;  // the step has one exchange
};

Exchanges::Exchanges(Rank& rank, std::uint64_t number) : rank_(rank), number_(number) {
  auto random = rank.common({number});
  if (random.chance(2)) space_ = std::make_unique<MessageSpace>(rank.world);
  const int exchanges = 1 + random.below(3);
  // Progress threads start the collectives of several exchanges of a space in any order.
  const bool is_ordered = space_ && exchanges > 1, reduces = !is_ordered || random.chance(2);
  for (int e = 0; e < exchanges; ++e) {
    auto& one = *all_.emplace_back(std::make_unique<One>());
    one.continuations = random.chance(2);
    auto chosen = rank.options({number, 1, static_cast<std::uint64_t>(e)}, one.continuations);
    if (is_ordered && reduces) chosen.progress.kind = ProgressOptions::Kind::polling;
    const auto options = exchange_options(rank, chosen);
    one.deferred = chosen.messages.defer_unpacking;
    one.is_threaded = chosen.progress.kind >= ProgressOptions::Kind::thread;
    if (one.continuations && random.chance(2)) one.make_inner(rank, options);
    one.exchange =
        space_ ? std::make_unique<Exchange>(*space_, options) : std::make_unique<Exchange>(rank.world, options);
    const std::size_t turns = random.chance(3) ? 2 : 1;
    const int n = 1 + random.below(3);
    for (int c = 0; c < n; ++c) {
      Moves::Shape shape{.rounds = 1 + random.below(3), .turns = turns, .largest = 1 + random.size_below(3000)};
      shape.continuations = one.continuations && random.chance(2);
      shape.reduces = reduces && !shape.continuations && random.chance(2);
      one.rounds = std::max(one.rounds, shape.rounds);
      const auto id = number * 100 + static_cast<std::uint64_t>(e * 10 + c);
      one.clients.push_back(std::make_unique<Moves>(rank, id, shape));
      one.clients.back()->in_continuation = [this, &one](int round) { continue_(one, round); };
    }
  }
}

// All exchanges have their tags before the first is started, and some are made before another is committed.
void Exchanges::prepare() {
  for (auto& one : all_) {
    rank_.point();
    if (rank_.own.chance(3))
      rank_.refused(
          "start", [&] { one->exchange->start().wait(); }, "The exchange was not committed");
    for (auto& moves : one->clients) {
      auto& list = one->exchange->client("client " + std::to_string(&moves - one->clients.data()));
      moves->list(list);
      one->lists.push_back(&list);
      one->marked.emplace_back(list.list().size(), char{0});
      rank_.point();
    }
    if (rank_.own.chance(3))
      rank_.refused(
          "client", [&] { one->exchange->client("client 0"); }, "Two clients are called");
    rank_.at("commit", number_);
    one->exchange->commit();
    if (one->inner) one->inner->commit();
  }
}

// May be on a progress thread: uses no random numbers of its own.
void Exchanges::continue_(One& one, int) {
  if (!one.is_threaded && rank_.kind() % 11 == 0)
    rank_.refused(
        "wait", [&] { one.messages.wait(0); }, "start");  // a continuation waits, or the handle has gone
  if (!rank_.is_due()) return;
  const auto how = rank_.kind() / 100 % 4;
  if (one.inner && how == 0) return one.inner->fail("in a continuation of another exchange");
  if (one.inner && how == 1) {
    const auto started = one.inner->start();
    rank_.fail();
  }
  rank_.fail();
}

// A rank may fail by an exception alone, or end the start or the exchange before.
void Exchanges::point(One& one) {
  if (!rank_.is_due()) return;
  switch (rank_.own.below(8)) {
    case 0: one.messages.fail("a handle fails"); break;
    case 1:  // it may wait for all rounds of other ranks, which may wait for another exchange of this rank first
      if (is_alone_) one.messages = {};
      break;
    case 2: one.exchange->fail("an exchange fails"); break;
    case 3:
      one.exchange->fail("an exchange fails and goes");
      one.exchange.reset();
      break;
    default: break;
  }
  rank_.fail();
}

void Exchanges::start(One& one, std::uint64_t step) {
  for (auto& of_client : one.marked) std::ranges::fill(of_client, char{0});
  for (std::size_t c = 0; c < one.clients.size(); ++c) {
    auto& moves = *one.clients[c];
    moves.step_of_continuations = step;
    moves.rebind([&](Part part, Region region) { one.exchange->rebind(part, std::move(region)); });
  }
  point(one);
  one.messages = one.exchange->start(step);
  point(one);
}

void Exchanges::round(One& one, int round, std::uint64_t step, Ending ending) {
  auto& own = rank_.own;
  auto calls = one.calls_of_round(rank_, round, step);
  // Special parts may have been marked already: by the call for all parts of a client.
  own.shuffle(calls);
  std::function<void()> forgotten;  // one call is omitted, and made up for later
  if (ending == Ending::waits && !calls.empty() && own.chance(4)) {
    forgotten = std::move(calls.back());
    calls.pop_back();
  }
  for (const auto& call : calls) {
    point(one);
    if (own.chance(4)) one.misuse(rank_, round);
    call();
    if (own.chance(4)) one.messages.progress();
  }
  point(one);
  if (forgotten) {
    // What was forgotten may be nothing that a rank waits for.
    if (own.chance(2)) {
      try {
        one.messages.wait(round);
        return;
      } catch (const PeerError&) {
        throw;
      } catch (const Error& e) {
        const std::string said = e.what();
        if (said.find("was not marked ready") == said.npos && said.find("was not accepted") == said.npos &&
            said.find("continuations that were not begun") == said.npos)
          throw;
      }
    }
    forgotten();
    point(one);
  }
  if (ending == Ending::waits) one.messages.wait(round);
}

void Exchanges::finish(One& one, std::uint64_t step, Ending ending) {
  if (ending == Ending::tests) {
    one.messages.check_ready();
    while (!one.messages.test()) {
      one.messages.watch();
      yield();
    }
    point(one);
    one.messages.wait();
  }
  if (ending == Ending::goes) {
    const StartedExchange last = std::move(one.messages);
  }
  if (one.exchange->has_failed()) one.exchange->start().wait();  // throws: the destructor can't
  for (auto& client : one.clients)
    for (int r = 0; r < client->shape.rounds; ++r) {
      client->collect(*one.exchange, r, step);
      EXPECT_TRUE(client->is_right(r, step)) << "round " << r << " of step " << step;
    }
}

void Exchanges::step(std::uint64_t number) {
  auto random = rank_.common({number_, 2, number});
  const auto ending = random.chance(2) ? Ending::waits : static_cast<Ending>(random.below(int(Ending::endings)));
  std::vector<One*> now;
  for (auto& one : all_)
    if (now.empty() || random.chance(2)) now.push_back(one.get());
  is_alone_ = now.size() == 1;
  // The handles go by unwinding, or later.
  struct Unwinding {
    ~Unwinding() {
      for (auto* one : all) {
        one->interrupted = !one->messages.is_over();
        if (!goes) continue;
        const StartedExchange last = std::move(one->messages);
      }
    }
    const std::vector<One*>& all;
    bool goes;
  };
  const bool goes = rank_.own.chance(2);
  try {
    const Unwinding unwinding{now, goes};
    random.shuffle(now);
    rank_.at("starts", number);
    for (auto* one : now) start(*one, number);
    for (int r = 0; r < 3; ++r)
      for (auto* one : now)
        if (r < one->rounds) {
          rank_.at("round", static_cast<std::uint64_t>(r));
          round(*one, r, number, ending);
        }
    rank_.at("finishes", number);
    for (auto* one : now) finish(*one, number, ending);
  } catch (...) {
    rank_.at("leaves a start", number);
    for (auto* one : now) {
      if (goes && one->interrupted && one->exchange) {
        EXPECT_TRUE(one->exchange->has_failed());
      }
      if (rank_.own.chance(2)) one->messages.fail("a step was left");
      one->messages = {};
    }
    throw;
  }
}

void Exchanges::fail() noexcept {
  for (auto& one : all_)
    for (auto* exchange : {one->inner.get(), one->exchange.get()})
      if (exchange != nullptr) exchange->fail("the program has left an exchange");
}

bool Exchanges::has_failed() const {
  return std::ranges::any_of(all_, [](const auto& one) {
    return !one->exchange || one->exchange->has_failed() || (one->inner && one->inner->has_failed());
  });
}

void Exchanges::learn() {
  for (auto& one : all_) {
    EXPECT_FALSE(rank_.attempt([&] {
      for (std::uint64_t step = 0;; ++step) {
        for (auto& client : one->clients) client->step_of_continuations = step;
        one->messages = one->exchange->start(step);
        for (int r = 0; r < one->rounds; ++r) {
          one->ready_everything(r);
          one->messages.wait(r);
        }
      }
    }));
    if (!one->inner) continue;
    EXPECT_FALSE(rank_.attempt([&] {
      for (;;) {
        auto messages = one->inner->start();
        messages.ready_all(0, 0);
        messages.wait();
      }
    }));
  }
}

Actions Exchanges::calls() {
  Actions calls;
  for (auto& one : all_)
    for (auto* exchange : {one->inner.get(), one->exchange.get()}) {
      if (exchange == nullptr) continue;
      calls.emplace_back([exchange] { static_cast<void>(exchange->start()); });
      calls.emplace_back([exchange] { exchange->commit(); });
      calls.emplace_back([exchange] { exchange->client("late"); });
      calls.emplace_back([exchange] { exchange->rebind({0, 0}, {}); });
    }
  return calls;
}

void Exchanges::forget() {
  for (auto& one : all_) {
    for (auto& client : one->clients) client->forget();
    one->inner_numbers.reset();
  }
}

// If nothing has failed, a start may be active, whose memory is in use until it has gone.
Actions Exchanges::ends() {
  const bool failed = is_lost, is_started = !failed && is_prepared && rank_.common({number_, 3}).chance(2);
  if (is_started)
    for (auto& one : all_) {
      for (auto& client : one->clients) client->step_of_continuations = 1;
      one->messages = one->exchange->start(1);
      for (int r = 0; r < one->rounds; ++r) one->ready_everything(r);
    }
  Actions ends;
  for (auto& one : all_) {
    auto* o = one.get();
    ends.emplace_back([o, failed, handle = std::make_shared<StartedExchange>(std::move(o->messages))]() mutable {
      handle.reset();
      if (failed) o->clients.clear();
    });
    ends.emplace_back([o] { o->exchange.reset(); });
    ends.emplace_back([o] { o->inner.reset(); });
  }
  ends.emplace_back([this] { space_.reset(); });
  return ends;
}

}  // namespace

std::unique_ptr<Thing> make_exchanges(Rank& rank, std::uint64_t number) {
  return std::make_unique<Exchanges>(rank, number);
}

}  // namespace weft::testing
