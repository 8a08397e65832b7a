// SPDX-License-Identifier: BSD-3-Clause
//
// A StepManager whose clients call it from callbacks, change their messages, and fail.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/libs/weft/exchange/misuse_model.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

enum class Callback : std::uint8_t { before, during, after, finish, callbacks };

struct Steps;

class Player final : public Client {
 public:
  Player(Steps& act, Rank& rank, std::uint64_t of, Moves::Shape shape)
      : moves(rank, of, shape), number(of), act_(act) {}
  void request(Requests& requests) override;
  void before(Step& step) override;
  void during(Step& step) override;
  void after(Step& step) override;
  void finish(Step& step) override;

  Moves moves;
  std::uint64_t number, generation = 0;
  bool throws_in_request = false;

 private:
  Steps& act_;
};

struct Steps {
  Steps(Rank& of_rank, std::uint64_t number);
  void add(StepManager& to);
  void between(std::uint64_t turn);
  void call_back(Player& player, Step& step, Callback callback);
  void call_what_is_collective(Random random, Player& player);
  void misuse(Player& player, Step& step);
  void turn(std::uint64_t number);
  void play();
  bool knows(const Player& player) const { return std::ranges::find(known, &player) != known.end(); }

  Rank& rank;
  std::uint64_t act;
  bool continuations;
  std::vector<std::unique_ptr<Player>> players;
  std::vector<Player*> known;  // clients of the StepManager
  std::unique_ptr<StepManager> steps;
  // Of the current step.
  std::uint64_t now = 0, kind = 0;
  Failure failure;
  Player* who_fails = nullptr;
  Callback fails_in = Callback::before;
  int fails_in_round = 0, continuation_fails = -1;
  bool calls = false;  // collective calls in callbacks
  bool is_over = false;
};

void Player::request(Requests& requests) {
  if (throws_in_request) throw Thrown("request");
  moves.list(requests, generation);
}
void Player::before(Step& step) {
  moves.step_of_continuations = static_cast<std::uint64_t>(step.number());
  moves.fill(step.round(), moves.step_of_continuations);
  act_.call_back(*this, step, Callback::before);
}
void Player::during(Step& step) { act_.call_back(*this, step, Callback::during); }
void Player::after(Step& step) {
  EXPECT_TRUE(moves.is_right(step.round(), static_cast<std::uint64_t>(step.number())))
      << "round " << step.round() << " of step " << step.number();
  act_.call_back(*this, step, Callback::after);
}
void Player::finish(Step& step) {
  for (int round = 0; round < moves.shape.rounds; ++round)
    EXPECT_TRUE(moves.is_right(round, static_cast<std::uint64_t>(step.number())))
        << "round " << round << " of step " << step.number() << ", in the end";
  act_.call_back(*this, step, Callback::finish);
}

Steps::Steps(Rank& of_rank, std::uint64_t number)
    : rank(of_rank), act(number), continuations(rank.common({number}).chance(2)) {
  auto random = rank.common({act, 1});
  const int n = 2 + random.below(3);
  for (int c = 0; c < n; ++c) {
    Moves::Shape shape{.rounds = 1 + random.below(3), .largest = 1 + random.size_below(1500)};
    shape.continuations = continuations && random.chance(2);
    shape.reduces = !shape.continuations;
    auto& player =
        *players.emplace_back(std::make_unique<Player>(*this, rank, act * 10 + static_cast<std::uint64_t>(c), shape));
    player.moves.in_continuation = [this, &player](int round) {
      if (&player == who_fails && round == continuation_fails) Rank::fail(kind);
    };
  }
}

void Steps::add(StepManager& to) {
  auto random = rank.common({act, 2});
  for (auto& player : players) {
    if (random.chance(4)) continue;
    to.add("player " + std::to_string(&player - players.data()), *player,
           {.every = 1 + random.below(2), .offset = random.below(2)});
    known.push_back(player.get());
  }
}

// Collective calls, in a callback or between steps.
void Steps::call_what_is_collective(Random random, Player& player) {
  switch (random.below(7)) {
    case 0:
    case 1: return steps->use(rank.options({act, 3, now, random.next()}, continuations), random.chance(2));
    case 2: return steps->coalesce(random.chance(2));
    case 3:
    case 4: ++player.generation; return steps->changed(player);
    case 5: return steps->activate(player, random.chance(2));
    default:
      for (auto& other : players)
        if (!knows(*other)) {
          steps->add("player " + std::to_string(&other - players.data()), *other);
          known.push_back(other.get());
          return;
        }
  }
}

void Steps::misuse(Player& player, Step& step) {
  const auto round = step.round();
  const auto sends = player.moves.sends(round);
  const auto receives = player.moves.receives(round);
  switch (rank.own.below(11)) {
    case 0:
      return rank.refused(
          "run_step", [&] { steps->run_step(); }, "run_step() is called by a client");
    case 1:
      return rank.refused(
          "remove", [&] { steps->remove(player); }, "remove() is called by a client");
    case 2:
      return rank.refused(
          "start_at", [&] { steps->start_at(3); }, "start_at() is called by a client");
    case 3:
      return rank.refused(
          "measure_alone", [&] { steps->measure_alone(1); }, "is called by a client");
    case 4:
      return rank.refused(
          "describe", [&] { steps->describe(); }, "is called by a client");
    case 5:
      return rank.refused(
          "ready",
          [&] {
            step.ready(SendPart{{0, 9999}});
          },
          "does not have");
    case 6:
      if (!receives.empty())
        rank.refused(
            "ready", [&] { step.ready(SendPart{receives[0]}); }, "is a receive");
      return;
    case 7:
      return rank.refused(
          "add", [&] { steps->add("player 0", player, {.every = 0}); }, "Use 1 or more");
    case 8: {
      Player stranger(*this, rank, 0, {});
      return rank.refused(
          "changed", [&] { steps->changed(stranger); }, "does not have this client");
    }
    case 9: {
      auto wrong = steps->options();
      wrong.progress = {.kind = ProgressOptions::Kind::send_receive_threads, .helpers = 7};
      return rank.refused(
          "use", [&] { steps->use(wrong); }, "progress threads");
    }
    default: step.progress();
  }
}

void Steps::call_back(Player& player, Step& step, Callback callback) {
  auto& own = rank.own;
  rank.at("callback", static_cast<std::uint64_t>(callback) + 10 * static_cast<std::uint64_t>(step.round()));
  if (calls && callback == Callback::before && step.round() == 0 && &player == known.front())
    call_what_is_collective(rank.common({act, 4, now}), *known[rank.common({act, 5, now}).size_below(known.size())]);
  if (calls && failure.who == Failure::Who::nobody) {
    auto random = rank.common(
        {act, 6, now, player.number, static_cast<std::uint64_t>(callback), static_cast<std::uint64_t>(step.round())});
    if (random.chance(8)) call_what_is_collective(random, player);
  }
  const bool may_mark = callback == Callback::before;
  if (may_mark && !(player.moves.shape.continuations && step.round() > 0) && own.chance(3)) {
    const auto sends = player.moves.sends(step.round());
    if (!sends.empty()) {
      step.ready(sends[0]);
      if (own.chance(2))
        rank.refused(
            "ready", [&] { step.ready(sends[0]); }, "is marked ready twice");
    }
  }
  if (callback == Callback::during && own.chance(3))
    for (const auto part : player.moves.receives(step.round())) step.accept(part);
  if (own.chance(6) && callback != Callback::after && callback != Callback::finish) misuse(player, step);
  if (&player == who_fails && callback == fails_in && step.round() == fails_in_round && continuation_fails < 0 &&
      failure.hits(rank.rank))
    Rank::fail(kind);
}

// Calls between two steps; most of them are correct.
void Steps::between(std::uint64_t number) {
  auto random = rank.common({act, 7, number});
  auto& player = *known[random.size_below(known.size())];
  rank.at("between steps", number);
  switch (random.below(10)) {
    case 0:
      if (known.size() < 2) return;
      steps->remove(player);
      std::erase(known, &player);
      if (rank.own.chance(2))
        rank.refused(
            "remove", [&] { steps->remove(player); }, "does not have this client");
      return;
    case 1: static_cast<void>(steps->describe()); return;
    case 2: steps->measure_alone(random.below(3)); return;
    case 3: return steps->start_at(static_cast<std::int64_t>(random.below(20)));
    case 4: {  // the request of one rank, or of all, fails; run_step() repeats it
      const bool all = random.chance(2);
      ++player.generation;
      player.throws_in_request = all || random.below(rank.size) == rank.rank;
      const bool is_thrown = !rank.attempt([&] { steps->changed(player); });
      EXPECT_EQ(is_thrown, player.throws_in_request);
      if (all && random.chance(2)) {
        EXPECT_FALSE(rank.attempt([&] { steps->run_step(); }));
      }
      player.throws_in_request = false;
      return;
    }
    case 5:
      rank.refused(
          "add", [&] { steps->add("a stranger", player, {.every = -1}); }, "Use 1 or more");
      return rank.refused(
          "start_at", [&] { steps->start_at(-1); }, "is before the first");
    default: return call_what_is_collective(random, player);
  }
}

void Steps::turn(std::uint64_t number) {
  auto random = rank.common({act, 8, number});
  now = number;
  failure = {};
  who_fails = nullptr;
  continuation_fails = -1;
  kind = rank.own.next();
  calls = random.chance(3);
  const bool fails = random.chance(3);
  bool ends = false;
  if (fails) {
    who_fails = known[random.size_below(known.size())];
    const auto& shape = who_fails->moves.shape;
    fails_in_round = random.below(shape.continuations ? 1 : shape.rounds);
    fails_in = static_cast<Callback>(random.below(static_cast<int>(Callback::callbacks)));
    if (fails_in == Callback::finish) fails_in_round = 0;
    failure = {random.chance(2) ? Failure::Who::one : Failure::Who::everybody, random.below(rank.size)};
    if (shape.continuations && random.chance(3)) {
      failure.who = Failure::Who::everybody;
      continuation_fails = random.below(shape.rounds);
    }
    if (failure.who == Failure::Who::one) {
      calls = false;
      // If a sum waits for this rank, the others can't finish the step. Otherwise this is the last step.
      ends = fails_in != Callback::before || !shape.reduces || random.chance(6);
    }
    if (calls && who_fails == known.front() && fails_in == Callback::before) calls = false;
    if (!steps->coalesces()) calls = false;
  }
  if (fails && random.chance(10)) {
    rank.watched.escapes = true;
    rank.at("a step that fails", number);
    steps->run_step();
    is_over = true;
    return;
  }
  rank.at("step", number);
  const bool is_right = rank.attempt([&] { steps->run_step(); });
  who_fails = nullptr;
  is_over = ends || rank.lacks_tags();
  if (rank.lacks_tags()) return;
  rank.at("after step", number);
  const bool all = rank.all(is_right), none = rank.all(!is_right);
  EXPECT_TRUE(all || fails) << "a step without a failure fails";
  EXPECT_TRUE(all || none || ends) << "some ranks fail";
}

void Steps::play() {
  rank.at("makes steps", act);
  steps = std::make_unique<StepManager>(rank.world, rank.options({act, 9}, continuations));
  add(*steps);
  if (known.empty()) return steps->run_step();
  if (rank.own.chance(3))
    rank.refused(
        "add", [&] { steps->add("player " + std::to_string(0), *known[0], {.offset = -1}); }, "Use 0 or more");
  // Some transports have few tags.
  try {
    steps->run_step();
  } catch (const Error& e) {
    if (std::string(e.what()).find(" tags ") == std::string::npos) throw;
    return;
  }
  const auto turns = 3 + rank.common({act, 10}).size_below(6);
  for (std::uint64_t t = 0; t < turns && !is_over; ++t) {
    turn(t);
    if (is_over || rank.common({act, 11, t}).chance(2)) continue;
    const bool is_right = rank.attempt([&] { between(t); });
    is_over = rank.lacks_tags();
    EXPECT_TRUE(is_right || is_over || rank.watched.escapes) << "what comes between steps fails";
  }
  rank.at("end of steps", act);
}

}  // namespace

void play_steps(Rank& rank, std::uint64_t number) {
  Steps act(rank, number);
  act.play();
}

}  // namespace weft::testing
