// SPDX-License-Identifier: BSD-3-Clause
//
// Pipelines that end early, and active messages that are not drained.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/libs/weft/exchange/misuse_model.hpp"
#include "weft/error.hpp"
#include "weft/mailbox/mailbox.hpp"
#include "weft/pipeline/pipeline.hpp"

namespace weft::testing {
namespace {

enum class Place : std::uint8_t { compute, communicate, forgets, started, consume, places };

// A loop whose tiles are exchanges, one per slot.
struct Loop {
  Loop(Rank& of_rank, std::uint64_t number);
  StartedExchange start(const Tile& tile);
  void fails(const Tile& tile, Place here) {
    if (tile.index == bad_tile && here == place && failure.hits(rank.rank)) Rank::fail(kind);
  }
  void run(bool many);
  void run_operations();

  Rank& rank;
  std::uint64_t act;
  PipelineOptions options;
  std::size_t tiles = 0;
  bool may_fail = false;
  std::vector<std::unique_ptr<Moves>> moves;
  std::vector<std::unique_ptr<Exchange>> exchanges;
  std::unique_ptr<Progress> progress;
  std::size_t bad_tile = 0;
  Place place = Place::compute;
  Failure failure;
  std::uint64_t kind = 0, base = 0;
};

Loop::Loop(Rank& of_rank, std::uint64_t number) : rank(of_rank), act(number) {
  auto random = rank.common({act});
  options.window = random.size_below(4);
  tiles = 1 + random.size_below(10);
  // Ranks may fail in different starts of an exchange. They all get the error only if each start connects all ranks, as
  // a sum does.
  may_fail = random.chance(2);
  Moves::Shape shape{.rounds = 1 + random.below(2), .continuations = !may_fail && random.chance(2)};
  shape.reduces = may_fail || (!shape.continuations && random.chance(2));
  auto wanted = rank.options({act, 1}, shape.continuations);
  for (std::size_t slot = 0; slot <= options.window; ++slot) {
    moves.push_back(std::make_unique<Moves>(rank, act * 10 + slot, shape));
    exchanges.push_back(std::make_unique<Exchange>(rank.world, exchange_options(rank, wanted)));
    moves.back()->list(exchanges.back()->client("tile"));
  }
  if (rank.own.chance(2)) {
    progress = std::make_unique<Progress>(rank.world, wanted.progress);
    options.progress = progress.get();
  }
}

StartedExchange Loop::start(const Tile& tile) {
  fails(tile, Place::communicate);
  const auto round = moves[tile.slot]->shape.rounds;
  auto messages = exchanges[tile.slot]->start(base + tile.index);
  const bool forgets = tile.index == bad_tile && place == Place::forgets && failure.hits(rank.rank);
  for (int r = forgets ? 1 : 0; r < round; ++r) messages.ready_all(0, r);
  for (int r = 0; r < round; ++r) messages.accept_all(0, r);
  fails(tile, Place::started);
  return messages;
}

void Loop::run(bool many) {
  const auto compute = [&](const Tile& tile, int&) {
    rank.at("tile", tile.index);
    auto& of_slot = *moves[tile.slot];
    if (tile.index == tiles) return false;
    of_slot.step_of_continuations = base + tile.index;
    for (int r = 0; r < (of_slot.shape.continuations ? 1 : of_slot.shape.rounds); ++r)
      of_slot.fill(r, base + tile.index);
    fails(tile, Place::compute);
    tile.progress();
    return true;
  };
  const auto consume = [&](const Tile& tile, int&) {
    for (int r = 0; r < moves[tile.slot]->shape.rounds; ++r)
      EXPECT_TRUE(moves[tile.slot]->is_right(r, base + tile.index)) << "round " << r << " of tile " << tile.index;
    fails(tile, Place::consume);
  };
  auto how = options;
  const bool is_endless = rank.common({act, 2, base}).chance(3);
  if (is_endless) how.tiles = endless;
  const auto iterations = is_endless ? endless : tiles;
  if (many) {
    pipeline<int>(
        rank.world, iterations, how, compute,
        [&](const Tile& tile, int&) {
          std::vector<StartedExchange> all;
          all.push_back(start(tile));
          return all;
        },
        consume);
  } else {
    pipeline<int>(
        rank.world, iterations, how, compute, [&](const Tile& tile, int&) { return start(tile); }, consume);
  }
}

// The same with plain operations. Ranks that wait for such an operation do not get another rank's error.
void Loop::run_operations() {
  const auto space = rank.world.duplicate();
  struct Slot {
    std::int64_t in = 0, out = 0;
    std::unique_ptr<Operation> sum;
  };
  std::vector<Slot> slots(options.window + 1);
  for (auto& slot : slots)
    slot.sum = space->collective(Collective::all_reduce(std::span<const std::int64_t>(&slot.in, 1),
                                                        std::span(&slot.out, 1), sum<std::int64_t>()));
  pipeline(
      rank.world, tiles, options, std::span(slots),
      [&](const Tile& tile, Slot& slot) {
        slot.in = static_cast<std::int64_t>(tile.index);
        fails(tile, Place::compute);
      },
      [&](const Tile& tile, Slot& slot) -> Operation& {
        fails(tile, Place::communicate);
        slot.sum->start();
        return *slot.sum;
      },
      [&](const Tile& tile, Slot& slot) {
        EXPECT_EQ(slot.out, rank.size * static_cast<std::int64_t>(tile.index));
        fails(tile, Place::consume);
      });
}

struct Hello {
  std::uint64_t id = 0;
  int hops = 0;
};
struct Rare {
  int rank = 0;
};
struct Unknown {
  int number = 0;
};

// The kind of a phase; the same on all ranks.
enum class Phase : std::uint8_t { right, handlers_throw, no_handler, drains_inside, phases };

struct Post {
  Post(Rank& of_rank, std::uint64_t number, bool is_roomy);
  void post(int most);
  void phase(std::uint64_t number, Phase what);
  void misuse();

  Rank& rank;
  std::uint64_t act;
  Phase now = Phase::right;
  std::int64_t posted = 0, handled = 0;  // sums of ids
  Mailbox mailbox;
};

// post() waits forever for free buffers if the rank that would free them has ended. With many buffers it never waits.
MailboxOptions mailbox_options(Random& own, bool is_roomy) {
  if (is_roomy) return {.bucket_bytes = 65536, .buckets_per_peer = 1000};
  return {.bucket_bytes = std::array<std::size_t, 3>{0, 64, 300}[own.size_below(3)],
          .buckets_per_peer = 1 + own.below(4)};
}

Post::Post(Rank& of_rank, std::uint64_t number, bool is_roomy)
    : rank(of_rank), act(number), mailbox(rank.world, mailbox_options(of_rank.own, is_roomy)) {
  mailbox.on<Hello>(1, [this](int, const Hello& hello, Mailbox::Payload payload) {
    handled += static_cast<std::int64_t>(hello.id);
    EXPECT_EQ(payload.size(), hello.id % 5 == 0 ? 8 * hello.id : 0);
    if (!payload.empty()) {
      std::uint64_t last = 0;
      std::memcpy(&last, payload.data() + payload.size() - 8, 8);
      EXPECT_EQ(last, hello.id - 1);
    }
    if (hello.hops > 0) {
      posted += static_cast<std::int64_t>(hello.id);
      mailbox.post(static_cast<int>(hello.id) % rank.size, Hello{hello.id, hello.hops - 1}, payload);
    }
    if (now == Phase::handlers_throw && hello.id % 7 == 1) Rank::fail(hello.id);
    if (now == Phase::drains_inside && hello.id % 7 == 1) mailbox.drain();
  });
  // Not registered on every rank.
  if (rank.rank != 0) mailbox.on<Rare>(2, [](int, const Rare&, Mailbox::Payload) {});
}

void Post::post(int most) {
  auto& own = rank.own;
  for (int i = own.below(most + 1); i > 0; --i) {
    const Hello hello{1 + own.size_below(own.chance(10) ? 700 : 30), own.below(3)};
    std::vector<std::uint64_t> numbers(hello.id % 5 == 0 ? hello.id : 0);
    std::iota(numbers.begin(), numbers.end(), 0);
    posted += static_cast<std::int64_t>(hello.id);
    mailbox.post(own.below(rank.size), hello, std::as_bytes(std::span(numbers)));
    if (own.chance(5)) mailbox.poll();
    if (own.chance(10)) misuse();
  }
}

void Post::misuse() {
  switch (rank.own.below(4)) {
    case 0:
      return rank.refused(
          "post", [&] { mailbox.post(0, Unknown{}); }, "is not registered");
    case 1:
      return rank.refused(
          "post", [&] { mailbox.post(rank.size, Hello{}); }, "is posted to rank");
    case 2:
      return rank.refused(
          "on", [&] { mailbox.on<Unknown>(1, [](int, const Unknown&, Mailbox::Payload) {}); },
          "has a handler for type 1 already");
    default:
      return rank.refused(
          "on", [&] { mailbox.on<Hello>(9, [](int, const Hello&, Mailbox::Payload) {}); }, "has the header of type 9");
  }
}

void Post::phase(std::uint64_t number, Phase what) {
  rank.at("phase", number);
  now = what;
  post(40);
  if (what == Phase::no_handler && rank.rank != 0) mailbox.post(0, Rare{rank.rank});
  const bool is_right = rank.attempt([&] { mailbox.drain(); });
  const bool all = rank.all(is_right), none = rank.all(!is_right);
  EXPECT_TRUE(all || none);
  const bool lacks = what == Phase::no_handler && rank.size > 1;
  EXPECT_TRUE(all || lacks || what == Phase::handlers_throw || what == Phase::drains_inside);
  EXPECT_TRUE(none || !lacks);
  const auto sums = all_reduce(rank.world, std::array{posted, handled}, sum<std::int64_t>());
  EXPECT_EQ(sums[0], sums[1]);
}

}  // namespace

void play_pipeline(Rank& rank, std::uint64_t number) {
  rank.at("makes a pipeline", number);
  Loop loop(rank, number);
  auto random = rank.common({number, 3});
  rank.refused(
      "pipeline",
      [&] {
        pipeline<int>(
            rank.world, 1, {.tile = 0}, [](auto&, auto&) {}, [](auto&, auto&) -> Operation* { return nullptr; },
            [](auto&, auto&) {});
      },
      "tile of a pipeline is 0");
  try {
    for (auto& exchange : loop.exchanges) exchange->commit();
  } catch (const Error& e) {
    if (std::string(e.what()).find(" tags ") == std::string::npos) throw;
    return;
  }
  const bool many = random.chance(2);
  for (int time = 0; time < 4; ++time) {
    loop.base = static_cast<std::uint64_t>(time) * 100;
    const bool fails = loop.may_fail && time % 2 == 0 && !random.chance(4);
    loop.failure = {};
    loop.kind = rank.own.next();
    loop.bad_tile = random.size_below(loop.tiles);
    loop.place = static_cast<Place>(random.below(static_cast<int>(Place::places)));
    if (fails) loop.failure = {random.chance(2) ? Failure::Who::one : Failure::Who::everybody, random.below(rank.size)};
    if (fails && random.chance(8)) {
      rank.watched.escapes = true;
      loop.run(many);
    }
    const bool is_right = rank.attempt([&] { loop.run(many); });
    if (!is_right)
      for (auto& exchange : loop.exchanges) exchange->cancel();
    rank.at("after pipeline", loop.base);
    const bool all = rank.all(is_right);
    EXPECT_TRUE(all || fails) << "a pipeline without a failure fails";
    if (!all)
      for (auto& exchange : loop.exchanges) exchange->cancel();
  }
  loop.failure = {};
  if (random.chance(4)) loop.failure.who = Failure::Who::everybody;
  rank.at("pipeline of operations");
  EXPECT_EQ(rank.attempt([&] { loop.run_operations(); }),
            loop.failure.who == Failure::Who::nobody || loop.place == Place::forgets || loop.place == Place::started);
}

void play_mailbox(Rank& rank, std::uint64_t number) {
  auto random = rank.common({number});
  const int phases = 1 + random.below(4);
  const Failure failure{random.chance(2)   ? Failure::Who::nobody
                        : random.chance(2) ? Failure::Who::one
                                           : Failure::Who::everybody,
                        random.below(rank.size)};
  const bool drains = random.chance(2), is_caught_inside = random.chance(2);
  const bool escapes = failure.who != Failure::Who::nobody && random.chance(4);
  rank.at("makes a mailbox", number);
  const auto life = [&] {
    Post post(rank, number, failure.who != Failure::Who::nobody);
    for (int p = 0; p < phases; ++p)
      post.phase(static_cast<std::uint64_t>(p),
                 random.chance(2) ? Phase::right : static_cast<Phase>(random.below(static_cast<int>(Phase::phases))));
    rank.at("leaves a mailbox", number);
    post.now = Phase::right;
    post.post(30);
    if (escapes) rank.watched.escapes = true;
    if (failure.hits(rank.rank)) Rank::fail(rank.own.next());
    if (failure.who != Failure::Who::one || !drains) return;
    if (!is_caught_inside) return post.mailbox.drain();
    EXPECT_FALSE(rank.attempt([&] { post.mailbox.drain(); })) << "drain() without a rank";
  };
  if (escapes) return life();
  rank.attempt(life);
  rank.at("after a mailbox", number);
  static_cast<void>(rank.all(true));
}

}  // namespace weft::testing
