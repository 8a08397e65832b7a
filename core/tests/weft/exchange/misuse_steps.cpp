// SPDX-License-Identifier: BSD-3-Clause
//
// A StepManager whose clients call it from callbacks, change their messages, and fail.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/tests/weft/exchange/misuse_clients.hpp"
#include "core/tests/weft/exchange/misuse_moves.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

enum class Callback : std::uint8_t { before, during, after, finish };

class Steps;

class Player final : public Client {
 public:
  Player(Steps& act, Rank& rank, std::uint64_t of, Moves::Shape shape)
      : moves(rank, of, shape), number(of), act_(act), rank_(rank) {}
  void request(Requests& requests) override;
  void before(Step& step) override;
  void during(Step& step) override;
  void after(Step& step) override;
  void finish(Step& step) override;

  Moves moves;
  std::uint64_t number, generation = 0;

 private:
  Steps& act_;
  Rank& rank_;
};

class Steps final : public Thing {
 public:
  Steps(Rank& rank, std::uint64_t number);
  void prepare() override;
  void step(std::uint64_t number) override;
  void fail() noexcept override { steps_->fail("the program has left a step manager"); }
  bool has_failed() const override { return steps_->has_failed(); }
  void learn() override;
  Actions calls() override;
  void forget() override;
  Actions ends() override;

  void call_back(Player& player, Step& step, Callback callback);

 private:
  void between();
  void run();
  void add(Player& player, Schedule schedule);
  void call_what_is_collective(Random random, Player& player);
  void misuse(Player& player, Step& step);
  bool knows(const Player& player) const { return std::ranges::find(known_, &player) != known_.end(); }

  Rank& rank_;
  std::uint64_t number_, turn_ = 0;
  bool continuations_, calls_ = false;  // collective calls in callbacks
  std::vector<std::unique_ptr<Player>> players_;
  std::vector<Player*> known_;  // clients of the StepManager
  std::vector<std::unique_ptr<Extra>> extras_;
  std::unique_ptr<StepManager> steps_;
};

void Player::request(Requests& requests) {
  rank_.point();
  moves.list(requests, generation);
  rank_.point();
}
void Player::before(Step& step) {
  const auto round = step.round();
  moves.step_of_continuations = static_cast<std::uint64_t>(step.number());
  if (!moves.is_continued(round)) {
    moves.fill(round, moves.step_of_continuations);
    for (const auto part : moves.specials(round)) moves.mark(step, part, moves.step_of_continuations);
  }
  act_.call_back(*this, step, Callback::before);
}
void Player::during(Step& step) { act_.call_back(*this, step, Callback::during); }
void Player::after(Step& step) {
  const auto number = static_cast<std::uint64_t>(step.number());
  if (!moves.shape.continuations) {
    moves.collect(step, step.round(), number);
    EXPECT_TRUE(moves.is_right(step.round(), number)) << "round " << step.round() << " of step " << number;
  }
  act_.call_back(*this, step, Callback::after);
}
void Player::finish(Step& step) {
  const auto number = static_cast<std::uint64_t>(step.number());
  for (int round = 0; round < moves.shape.rounds; ++round) {
    if (moves.shape.continuations) moves.collect(step, round, number);
    EXPECT_TRUE(moves.is_right(round, number)) << "round " << round << " of step " << number << ", in the end";
  }
  moves.step_of_continuations = Moves::no_step;
  act_.call_back(*this, step, Callback::finish);
}

Steps::Steps(Rank& rank, std::uint64_t number)
    : rank_(rank), number_(number), continuations_(rank.common({number}).chance(2)) {
  auto random = rank.common({number, 1});
  const int n = 2 + random.below(3), extras = random.chance(2) ? random.below(4) : 0;
  for (int c = 0; c < n; ++c) {
    Moves::Shape shape{.rounds = 1 + random.below(3), .largest = 1 + random.size_below(1500)};
    shape.continuations = continuations_ && random.chance(2);
    shape.reduces = !shape.continuations && !random.chance(3);
    const auto id = number * 100 + static_cast<std::uint64_t>(c);
    auto& player = *players_.emplace_back(std::make_unique<Player>(*this, rank, id, shape));
    player.moves.in_continuation = [this](int) { rank_.point(); };
  }
  for (int e = 0; e < extras; ++e)
    extras_.push_back(make_extra(rank, number * 100 + 50 + static_cast<std::uint64_t>(e)));
  // Rounds and continuations can't defer unpacking.
  steps_ = std::make_unique<StepManager>(rank.world, rank.options({number, 9}, continuations_ || extras > 0));
}

void Steps::add(Player& player, Schedule schedule) {
  steps_->add("player " + std::to_string(player.number), player, schedule);
  known_.push_back(&player);
}

void Steps::prepare() {
  auto random = rank_.common({number_, 2});
  for (auto& player : players_) {
    if (known_.empty() || !random.chance(4)) add(*player, {.every = 1 + random.below(2), .offset = random.below(2)});
    if (rank_.own.chance(6))
      rank_.refused(
          "add", [&] { steps_->add("another", *player, {.offset = -1}); }, "Use 0 or more");
    rank_.point();
  }
  for (auto& extra : extras_) extra->add(*steps_);
  steps_->describe();  // commits
}

// Collective calls, in a callback or between steps.
void Steps::call_what_is_collective(Random random, Player& player) {
  switch (random.below(7)) {
    case 0:
    case 1:
      return steps_->use(rank_.options({number_, 3, turn_, random.next()}, continuations_ || !extras_.empty()),
                         random.chance(2));
    case 2: return steps_->coalesce(random.chance(2));
    case 3:
    case 4: ++player.generation; return steps_->changed(player);
    case 5: return steps_->activate(player, random.chance(2));
    default:
      for (auto& other : players_)
        if (!knows(*other)) return add(*other, {});
  }
}

void Steps::misuse(Player& player, Step& step) {
  const auto sends = player.moves.sends(step.round()), receives = player.moves.receives(step.round());
  const auto no = [&](const char* text, const std::function<void()>& call) { rank_.refused("a call", call, text); };
  switch (rank_.own.below(13)) {
    case 0: return no("run_step() is called by a client", [&] { steps_->run_step(); });
    case 1: return no("remove() is called by a client", [&] { steps_->remove(player); });
    case 2: return no("start_at() is called by a client", [&] { steps_->start_at(3); });
    case 3: return no("is called by a client", [&] { steps_->measure_alone(1); });
    case 4: return no("is called by a client", [&] { steps_->describe(); });
    case 5: return no("is called by a client", [&] { steps_->rebind(player, {0, 0}, {}); });
    case 6: return no("does not have", [&] { step.ready(SendPart{{0, 9999}}); });
    case 7:
      if (!receives.empty()) no("is a receive", [&] { step.ready(SendPart{receives[0]}); });
      return;
    case 8: return no("Use 1 or more", [&] { steps_->add("player 0", player, {.every = 0}); });
    case 9: {
      Player stranger(*this, rank_, 0, {});
      return no("does not have this client", [&] { steps_->changed(stranger); });
    }
    case 10: {
      auto wrong = steps_->options();
      wrong.progress = {.kind = ProgressOptions::Kind::send_receive_threads, .threads = 7};
      return no("progress threads", [&] { steps_->use(wrong); });
    }
    default: step.progress();
  }
}

// A rank may also fail without an exception.
void Steps::call_back(Player& player, Step& step, Callback callback) {
  auto& own = rank_.own;
  const auto round = step.round();
  rank_.at("callback", static_cast<std::uint64_t>(callback) + 10 * static_cast<std::uint64_t>(round));
  if (rank_.is_due()) {
    if (rank_.kind() / 100 % 4 == 0) steps_->fail("in a callback");
    if (rank_.kind() / 100 % 8 != 0) rank_.fail();
    return;
  }
  if (calls_) {
    auto random = rank_.common(
        {number_, 6, turn_, player.number, static_cast<std::uint64_t>(callback), static_cast<std::uint64_t>(round)});
    if (random.chance(6)) call_what_is_collective(random, player);
  }
  if (callback == Callback::before && !player.moves.is_continued(round) && own.chance(3)) {
    const auto sends = player.moves.sends(round), specials = player.moves.specials(round);
    if (!sends.empty() && std::ranges::none_of(specials, [&](Part p) { return p.index == sends[0].index; })) {
      step.ready(SendPart{sends[0]});
      if (own.chance(2))
        rank_.refused(
            "ready", [&] { step.ready(SendPart{sends[0]}); }, "is marked ready twice");
    }
  }
  if (callback == Callback::during && own.chance(3))
    for (const auto part : player.moves.receives(round)) step.accept(ReceivePart{part});
  if (own.chance(6) && callback <= Callback::during) misuse(player, step);
  rank_.point();
}

// Calls between two steps; most of them are correct.
void Steps::between() {
  auto random = rank_.common({number_, 7, turn_});
  auto& player = *known_[random.size_below(known_.size())];
  rank_.at("between steps", turn_);
  switch (random.below(11)) {
    case 0:
      if (known_.size() < 2) return;
      steps_->remove(player);
      std::erase(known_, &player);
      if (rank_.own.chance(2))
        rank_.refused(
            "remove", [&] { steps_->remove(player); }, "does not have this client");
      return;
    case 1: static_cast<void>(steps_->describe()); return;
    case 2: steps_->measure_alone(random.below(3)); return;
    case 3: return steps_->start_at(static_cast<std::int64_t>(random.below(20)));
    case 4:
      rank_.refused(
          "add", [&] { steps_->add("a stranger", player, {.every = -1}); }, "Use 1 or more");
      return rank_.refused(
          "start_at", [&] { steps_->start_at(-1); }, "is before the first");
    case 5:
      if (extras_.empty()) return;
      extras_.front()->remove(*steps_);
      if (random.chance(2)) return extras_.front()->add(*steps_);
      extras_.erase(extras_.begin());
      return;
    default: return call_what_is_collective(random, player);
  }
}

void Steps::run() {
  for (auto* player : known_)
    player->moves.rebind([&](Part part, Region region) { steps_->rebind(*player, part, std::move(region)); });
  combine_may_throw = true;
  for (auto& extra : extras_) extra->prepare(steps_->step());
  try {
    steps_->run_step();
  } catch (...) {
    combine_may_throw = false;
    throw;
  }
  combine_may_throw = false;
}

void Steps::step(std::uint64_t number) {
  auto random = rank_.common({number_, 8, number});
  turn_ = number;
  calls_ = random.chance(3);
  if (random.chance(2)) between();
  rank_.point();
  rank_.at("step", number);
  try {
    run();
  } catch (const Error& e) {  // all ranks may have too few tags for a commit
    EXPECT_TRUE(steps_->has_failed() || std::string(e.what()).find(" tags ") != std::string::npos) << e.what();
    throw;
  } catch (...) {
    EXPECT_TRUE(steps_->has_failed());
    throw;
  }
}

void Steps::learn() {
  calls_ = false;
  EXPECT_FALSE(rank_.attempt([&] {
    for (;;) run();
  }));
}

Actions Steps::calls() {
  auto& s = *steps_;
  return {[&] { s.run_step(); },
          [&] { s.start_at(3); },
          [&] { static_cast<void>(s.step()); },
          [&] { s.measure_alone(1); },
          [&] { s.use({}); },
          [&] { static_cast<void>(s.describe()); },
          [&] { s.coalesce(true); },
          [&] { static_cast<void>(s.counts()); },
          [&] { static_cast<void>(s.profile()); }};
}

// Of a StepManager that has failed the clients may go, too.
void Steps::forget() {
  for (auto& player : players_) player->moves.forget();
  if (rank_.own.chance(2)) players_.clear();
}

Actions Steps::ends() {
  if (!is_lost) return {[this] { steps_.reset(); }};
  Actions ends{[this] { steps_.reset(); }};
  for (auto& player : players_) ends.emplace_back([&player] { player.reset(); });
  for (auto& extra : extras_) ends.emplace_back([&extra] { extra.reset(); });
  return ends;
}

}  // namespace

std::unique_ptr<Thing> make_steps(Rank& rank, std::uint64_t number) { return std::make_unique<Steps>(rank, number); }

}  // namespace weft::testing
