// SPDX-License-Identifier: BSD-3-Clause
//
// Pipelines, mailboxes and halos of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/tests/weft/exchange/misuse_moves.hpp"
#include "tests/support/halo_fields.hpp"
#include "weft/error.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/mailbox/mailbox.hpp"
#include "weft/pipeline/pipeline.hpp"

namespace weft::testing {
namespace {

// A loop whose tiles are exchanges, one per slot.
class Loop final : public Thing {
 public:
  Loop(Rank& rank, std::uint64_t number);
  void prepare() override;
  void step(std::uint64_t number) override;
  void fail() noexcept override {
    for (auto& exchange : exchanges_) exchange->fail("the program has left a pipeline");
  }
  bool has_failed() const override {
    return std::ranges::any_of(exchanges_, [](const auto& exchange) { return exchange->has_failed(); });
  }
  void learn() override;
  Actions calls() override;
  void forget() override {
    for (auto& moves : moves_) moves->forget();
  }
  Actions ends() override;

 private:
  StartedExchange start(std::size_t slot, std::uint64_t step);

  Rank& rank_;
  std::uint64_t number_;
  PipelineOptions options_;
  std::size_t tiles_ = 0;
  std::vector<std::unique_ptr<Moves>> moves_;
  std::unique_ptr<MessageSpace> space_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  std::unique_ptr<Progress> progress_;
};

Loop::Loop(Rank& rank, std::uint64_t number) : rank_(rank), number_(number) {
  auto random = rank.common({number});
  options_.window = random.size_below(4);
  tiles_ = 1 + random.size_below(10);
  Moves::Shape shape{.rounds = 1 + random.below(2), .continuations = random.chance(2)};
  shape.reduces = !shape.continuations && random.chance(2);
  auto wanted = rank.options({number, 1}, shape.continuations);
  const bool is_space = random.chance(2);
  // Progress threads start the collectives of several exchanges of a space in any order.
  if (is_space && shape.reduces) wanted.progress.kind = ProgressOptions::Kind::polling;
  if (is_space) space_ = std::make_unique<MessageSpace>(rank.world);
  for (std::size_t slot = 0; slot <= options_.window; ++slot) {
    const auto options = exchange_options(rank, wanted);
    moves_.push_back(std::make_unique<Moves>(rank, number * 100 + slot, shape));
    moves_.back()->in_continuation = [this](int) { rank_.point(); };
    exchanges_.push_back(space_ ? std::make_unique<Exchange>(*space_, options)
                                : std::make_unique<Exchange>(rank.world, options));
  }
  if (rank.own.chance(2)) {
    progress_ = std::make_unique<Progress>(rank.world, wanted.progress);
    options_.progress = progress_.get();
  }
}

void Loop::prepare() {
  const auto refused = [&](std::size_t tile, std::size_t window, const char* text) {
    rank_.refused(
        "pipeline",
        [&] {
          std::vector<int> buffers(2);
          pipeline(
              rank_.world, 4, {.tile = tile, .window = window, .tiles = 4}, std::span(buffers), [](auto&, auto&) {},
              [](auto&, auto&) { return std::unique_ptr<Operation>(); }, [](auto&, auto&) {});
        },
        text);
  };
  refused(0, 1, "tile of a pipeline is 0");
  refused(1, ~std::size_t{0}, "window");
  for (std::size_t slot = 0; slot < exchanges_.size(); ++slot) {
    rank_.point();
    moves_[slot]->list(exchanges_[slot]->client("tile"));
    exchanges_[slot]->commit();
  }
}

// A rank may forget a round, which pipeline() must find.
StartedExchange Loop::start(std::size_t slot, std::uint64_t step) {
  auto& moves = *moves_[slot];
  rank_.point();
  auto messages = exchanges_[slot]->start(step);
  const int rounds = moves.shape.rounds;
  for (int r = rank_.is_due() ? 1 : 0; r < rounds; ++r) {
    if (!moves.is_continued(r))
      for (const auto part : moves.specials(r)) moves.mark(messages, part, step);
    messages.ready_all(0, r);
  }
  for (int r = 0; r < rounds; ++r) messages.accept_all(0, r);
  rank_.point();
  return messages;
}

void Loop::step(std::uint64_t number) {
  auto random = rank_.common({number_, 2, number});
  const auto base = number * 100;
  const auto compute = [&](const Tile& tile, int&) {
    rank_.at("tile", tile.index);
    auto& moves = *moves_[tile.slot];
    if (tile.index == tiles_) return false;
    moves.step_of_continuations = base + tile.index;
    moves.rebind([&](Part part, Region region) { exchanges_[tile.slot]->rebind(part, std::move(region)); });
    for (int r = 0; r < moves.shape.rounds; ++r)
      if (!moves.is_continued(r)) moves.fill(r, base + tile.index);
    rank_.point();
    tile.progress();
    return true;
  };
  const auto consume = [&](const Tile& tile, int&) {
    auto& moves = *moves_[tile.slot];
    for (int r = 0; r < moves.shape.rounds; ++r) {
      moves.collect(*exchanges_[tile.slot], r, base + tile.index);
      EXPECT_TRUE(moves.is_right(r, base + tile.index)) << "round " << r << " of tile " << tile.index;
    }
    rank_.point();
  };
  // Without tiles it is a collective call, which a rank that has failed does not make.
  auto how = options_;
  const bool is_endless = random.chance(3);
  how.tiles = is_endless ? endless : rank_.nobody_fails() && random.chance(2) ? 0 : tiles_;
  const auto iterations = is_endless ? endless : tiles_;
  try {
    if (random.chance(2))
      pipeline<int>(
          rank_.world, iterations, how, compute,
          [&](const Tile& tile, int&) {
            std::vector<StartedExchange> all;
            all.push_back(start(tile.slot, base + tile.index));
            return all;
          },
          consume);
    else
      pipeline<int>(
          rank_.world, iterations, how, compute,
          [&](const Tile& tile, int&) { return start(tile.slot, base + tile.index); }, consume);
  } catch (...) {
    for (auto& moves : moves_) moves->forget();  // nothing may use it any more
    throw;
  }
}

void Loop::learn() {
  for (std::size_t slot = 0; slot < exchanges_.size(); ++slot)
    EXPECT_FALSE(rank_.attempt([&] {
      for (std::uint64_t step = 0;; ++step) {
        auto& moves = *moves_[slot];
        moves.step_of_continuations = step;
        for (int r = 0; r < moves.shape.rounds; ++r)
          if (!moves.is_continued(r)) moves.fill(r, step);
        start(slot, step).wait();
      }
    }));
}

Actions Loop::calls() {
  Actions calls;
  for (auto& exchange : exchanges_) calls.emplace_back([&exchange] { static_cast<void>(exchange->start()); });
  calls.emplace_back([this] { static_cast<void>(start(0, 0)); });
  return calls;
}

Actions Loop::ends() {
  Actions ends{[this] { space_.reset(); }, [this] { progress_.reset(); }};
  for (auto& exchange : exchanges_) ends.emplace_back([&exchange] { exchange.reset(); });
  return ends;
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

class Post final : public Thing {
 public:
  Post(Rank& rank, std::uint64_t number);
  void prepare() override {}
  void step(std::uint64_t number) override;
  void fail() noexcept override;
  bool has_failed() const override { return has_failed_; }
  void learn() override {
    EXPECT_FALSE(rank_.attempt([&] { mailbox_->drain(); }));
  }
  Actions calls() override;
  void forget() override { sums_.reset(); }
  Actions ends() override {
    return {[this] { mailbox_.reset(); }};
  }

 private:
  struct Sums {
    std::int64_t posted = 0, handled = 0;
  };
  void post(int most);
  void misuse();

  Rank& rank_;
  std::uint64_t number_;
  bool has_failed_ = false;
  std::unique_ptr<Sums> sums_ = std::make_unique<Sums>();  // of ids
  std::unique_ptr<Mailbox> mailbox_;
};

Post::Post(Rank& rank, std::uint64_t number) : rank_(rank), number_(number) {
  auto& own = rank.own;
  const std::array<std::size_t, 3> sizes{0, 64, 300};
  mailbox_ = std::make_unique<Mailbox>(
      rank.world, MailboxOptions{.bucket_bytes = sizes[own.size_below(3)], .buckets_per_peer = 1 + own.below(4)});
  mailbox_->on<Hello>(1, [this](int, const Hello& hello, Mailbox::Payload payload) {
    sums_->handled += static_cast<std::int64_t>(hello.id);
    EXPECT_EQ(payload.size(), hello.id % 5 == 0 ? 8 * hello.id : 0);
    if (!payload.empty()) {
      std::uint64_t last = 0;
      std::memcpy(&last, payload.data() + payload.size() - 8, 8);
      EXPECT_EQ(last, hello.id - 1);
    }
    if (hello.hops > 0) {
      sums_->posted += static_cast<std::int64_t>(hello.id);
      mailbox_->post(static_cast<int>(hello.id) % rank_.size, Hello{hello.id, hello.hops - 1}, payload);
    }
    if (!rank_.is_due()) return;
    if (rank_.kind() / 100 % 4 == 0) mailbox_->drain();
    rank_.fail();
  });
  // Not registered on every rank.
  if (rank.rank != 0) mailbox_->on<Rare>(2, [](int, const Rare&, Mailbox::Payload) {});
}

// There is no call for it: the mailbox goes by an exception, or with a message, unless it has failed already.
void Post::fail() noexcept {
  if (std::exchange(has_failed_, true)) return;
  try {
    const bool throws = rank_.own.chance(2);
    if (!throws) mailbox_->post(rank_.own.below(rank_.size), Hello{});
    const auto last = std::move(mailbox_);
    if (throws) throw 1;
  } catch (const Error&) {
  } catch (int) {
  }
}

void Post::post(int most) {
  auto& own = rank_.own;
  for (int i = own.below(most + 1); i > 0; --i) {
    const Hello hello{1 + own.size_below(own.chance(10) ? 700 : 30), own.below(3)};
    std::vector<std::uint64_t> numbers(hello.id % 5 == 0 ? hello.id : 0);
    std::iota(numbers.begin(), numbers.end(), 0);
    sums_->posted += static_cast<std::int64_t>(hello.id);
    mailbox_->post(own.below(rank_.size), hello, std::as_bytes(std::span(numbers)));
    if (own.chance(5)) mailbox_->poll();
    if (own.chance(10)) misuse();
    rank_.point();
  }
}

void Post::misuse() {
  const auto no = [&](const char* text, const std::function<void()>& call) { rank_.refused("a call", call, text); };
  switch (rank_.own.below(4)) {
    case 0: return no("is not registered", [&] { mailbox_->post(0, Unknown{}); });
    case 1: return no("is posted to rank", [&] { mailbox_->post(rank_.size, Hello{}); });
    case 2:
      return no("has a handler for type 1 already",
                [&] { mailbox_->on<Unknown>(1, [](int, const Unknown&, Mailbox::Payload) {}); });
    default:
      return no("has the header of type 9",
                [&] { mailbox_->on<Hello>(9, [](int, const Hello&, Mailbox::Payload) {}); });
  }
}

// The numbers of all ranks are compared in the mailbox's own order: another collective could wait for a rank that has
// failed.
void Post::step(std::uint64_t number) {
  rank_.at("mailbox", number);
  const bool lacks = !rank_.nobody_fails() && rank_.common({number_, number}).chance(4);
  post(40);
  if (lacks && rank_.rank != 0 && rank_.is_due()) mailbox_->post(0, Rare{rank_.rank});
  mailbox_->drain();
  rank_.point();
  if (rank_.nobody_fails()) {
    const auto sums = all_reduce(rank_.world, std::array{sums_->posted, sums_->handled}, sum<std::int64_t>());
    EXPECT_EQ(sums[0], sums[1]);
  }
}

Actions Post::calls() {
  if (!mailbox_) return {};
  return {[this] { mailbox_->drain(); }, [this] { mailbox_->poll(); }, [this] { mailbox_->post(0, Hello{}); }};
}

class Halos final : public Thing {
 public:
  Halos(Rank& rank, std::uint64_t number);
  void prepare() override {}
  void step(std::uint64_t number) override;
  void fail() noexcept override {
    if (exchange_) exchange_->fail("the program has left a halo");
  }
  bool has_failed() const override { return !exchange_ || exchange_->has_failed(); }
  void learn() override {
    EXPECT_FALSE(rank_.attempt([&] {
      for (;;) {
        exchange_->start();
        exchange_->finish();
      }
    }));
  }
  Actions calls() override {
    if (!exchange_) return {};
    return {[this] { exchange_->start(); }};
  }
  void forget() override {
    if (field_) field_->fill(77);
    field_.reset();
  }
  Actions ends() override {
    return {[this] { exchange_.reset(); }};
  }

 private:
  Rank& rank_;
  CartesianGrid grid_;
  std::unique_ptr<TestField> field_;
  std::unique_ptr<Halo> halo_;
  std::unique_ptr<HaloExchange> exchange_;
};

Halos::Halos(Rank& rank, std::uint64_t number)
    : rank_(rank),
      grid_(rank.world, {.extent = {9, 8, 5}, .periodic = {rank.common({number, 2}).chance(2), true, false}}) {
  auto random = rank.common({number, 1});
  using S = HaloOptions::Scheme;
  const HaloOptions options{
      .scheme = std::array{S::direct, S::by_dimension, S::reference}[random.size_below(3)],
      .payload = random.chance(2) ? HaloOptions::Payload::whole : HaloOptions::Payload::directions};
  field_ = std::make_unique<TypedField<std::uint64_t>>(grid_, 1, FieldCase{.components = 1 + random.size_below(40)});
  halo_ = std::make_unique<Halo>(grid_, options);
  halo_->add(field_->field());
  try {
    exchange_ =
        std::make_unique<HaloExchange>(rank.world, *halo_, exchange_options(rank, rank.options({number, 3}, false)));
  } catch (const PeerError&) {  // another rank has made it, and has failed since
    is_lost = true;
    forget();
  }
}

// The start that an exception has left is found by the next one, or by the destructor.
void Halos::step(std::uint64_t number) {
  rank_.at("halo", number);
  field_->fill(static_cast<int>(number));
  bool is_started = false;
  try {
    rank_.point();
    exchange_->start();
    is_started = true;
    rank_.point();
    exchange_->progress();
    exchange_->finish();
    is_started = false;
    rank_.point();
  } catch (...) {
    const auto how = rank_.own.below(3);
    const bool is_ready = halo_->rounds() == 1 && halo_->options().scheme != HaloOptions::Scheme::reference;
    if (how == 0 && is_started && !is_ready) exchange_.reset();  // which fails; otherwise it would complete the start
    if (how == 1 && is_started) {
      EXPECT_FALSE(rank_.attempt([&] { exchange_->start(); }));
      EXPECT_TRUE(exchange_->has_failed());
    }
    fail();
    field_.reset();
    throw;
  }
  field_->expect(*halo_, 0, static_cast<int>(number));
}

}  // namespace

std::unique_ptr<Thing> make_pipeline(Rank& rank, std::uint64_t number) { return std::make_unique<Loop>(rank, number); }
std::unique_ptr<Thing> make_mailbox(Rank& rank, std::uint64_t number) { return std::make_unique<Post>(rank, number); }
std::unique_ptr<Thing> make_halo(Rank& rank, std::uint64_t number) { return std::make_unique<Halos>(rank, number); }

}  // namespace weft::testing
