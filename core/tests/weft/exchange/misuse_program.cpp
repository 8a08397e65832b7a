// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "core/tests/weft/exchange/misuse_model.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

std::unique_ptr<Thing> make_thing(Rank& rank, int kind, std::uint64_t number) {
  rank.at("makes a thing", static_cast<std::uint64_t>(kind));
  switch (kind) {
    case 0: return make_pipeline(rank, number);
    case 1: return make_mailbox(rank, number);
    case 2: return make_halo(rank, number);
    case 3:
    case 4: return make_exchanges(rank, number);
    default: return make_steps(rank, number);
  }
}

class Program {
 public:
  explicit Program(Rank& rank);
  /// Uses the things, and replaces those that have failed. False: the transport has too few tags for one.
  bool burst(std::uint64_t number, bool nobody_fails);
  void end();

 private:
  void use(Thing& thing, std::uint64_t number);
  void lose(Thing& thing);
  void lose_failed();
  void replace(Things lost);

  Rank& rank_;
  std::vector<int> kinds_;
  Things things_;
  std::uint64_t made_ = 0;
  bool lacks_tags_ = false, has_left_ = false;
  std::string first_error_;  // in this burst
};

Program::Program(Rank& rank) : rank_(rank) {
  auto random = rank.common({2});
  const int n = 1 + random.below(3);
  for (int i = 0; i < n; ++i) kinds_.push_back(random.below(8));
  things_.resize(kinds_.size());
}

void Program::lose(Thing& thing) {
  if (thing.is_lost) return;
  thing.fail();
  EXPECT_TRUE(thing.has_failed());
  thing.is_lost = true;
  thing.forget();
}

void Program::lose_failed() {
  for (auto& thing : things_)
    if (thing->has_failed()) lose(*thing);
}

void Program::use(Thing& thing, std::uint64_t number) {
  if (thing.is_lost || has_left_) return;
  rank_.fail_another = [&] {
    auto& other = things_[rank_.own.size_below(things_.size())];
    if (other.get() != &thing) other->fail();
  };
  const auto use = [&] {
    if (thing.is_prepared) return thing.step(number);
    thing.prepare();
    thing.is_prepared = true;
  };
  if (rank_.escapes()) return use();
  const bool is_right = rank_.attempt(use);
  if (rank_.lacks_tags()) {  // on all ranks; without a failure
    lacks_tags_ = has_left_ = true;
    return;
  }
  if (!is_right && first_error_.empty()) first_error_ = rank_.said();
  if (!is_right) lose(thing);
  lose_failed();
  // Ranks may wait for this one in other things: it continues to use them, or leaves them.
  if (is_right || rank_.own.chance(2)) return;
  has_left_ = true;
  for (auto& other : things_) lose(*other);
}

bool Program::burst(std::uint64_t number, bool nobody_fails) {
  auto random = rank_.common({3, number});
  std::vector<std::size_t> uses;
  for (std::size_t i = 0; i < things_.size(); ++i)
    if (!things_[i]) {
      // A halo is committed by its constructor, and some transports have few tags.
      try {
        things_[i] = make_thing(rank_, kinds_[i], 1 + made_++);
      } catch (const Error& e) {
        if (std::string(e.what()).find(" tags ") == std::string::npos) throw;
        return false;
      }
      uses.push_back(i);
    }
  random.shuffle(uses);
  for (int k = random.below(8); k >= 0; --k) uses.push_back(random.size_below(things_.size()));
  rank_.plan(number, nobody_fails);
  has_left_ = false;
  for (std::size_t k = 0; k < uses.size(); ++k) use(*things_[uses[k]], number * 20 + k);

  rank_.at("after a burst", number);
  const bool nobody_has = rank_.all(!rank_.has_failed());
  lacks_tags_ = !rank_.all(!lacks_tags_);
  Things lost;
  for (auto& thing : things_)
    if (!rank_.all(!thing->is_lost)) lost.push_back(std::move(thing));
  EXPECT_TRUE(lost.empty() || !nobody_has || lacks_tags_) << "something fails without a failure: " << first_error_;
  first_error_.clear();
  rank_.plan(number, true);
  replace(std::move(lost));
  return !lacks_tags_;
}

void Program::replace(Things lost) {
  for (auto& thing : lost) {
    rank_.at("learns");
    if (!thing->is_lost) thing->learn();
    lose(*thing);
  }
  Actions ends;
  for (auto& thing : lost) {
    for (const auto& call : thing->calls()) {
      std::string said = "no error";
      try {
        call();
      } catch (const Error& e) {
        said = e.what();
      }
      EXPECT_TRUE(said.find(" has failed (rank ") != said.npos || lacks_tags_)
          << "after a failure a call says: " << said;
    }
    for (auto& end : thing->ends()) ends.push_back(std::move(end));
  }
  rank_.at("destroys what has failed");
  rank_.own.shuffle(ends);
  for (const auto& end : ends) end();
}

// Of what is right, the destruction is collective.
void Program::end() {
  rank_.common({4}).shuffle(things_);
  for (auto& thing : things_) {
    if (!thing) continue;
    rank_.at("destroys");
    auto ends = thing->ends();
    rank_.common({5, ++made_}).shuffle(ends);  // an exchange may need the progress of another rank
    for (const auto& end : ends) end();
    thing->forget();
    thing.reset();
  }
}

}  // namespace

// Ranks whose requests differ; every rank gets the error.
void commit_badly(Rank& rank, std::uint64_t number) {
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
  if (rank.size == 1 && (what == 0 || what == 3)) {
    static_cast<void>(rank.attempt([&] { exchange.commit(); }));  // some transports have few tags
    return;
  }
  for (int i = 0; i < 2; ++i) {
    rank.refused(
        "commit", [&] { exchange.commit(); }, text);
    rank.refused(
        "start", [&] { exchange.start().wait(); }, "The exchange was not committed");
  }
}

void play(Transport& world, std::uint64_t seed, Watched& watched) {
  Rank rank(world, seed, watched);
  if (rank.common({1}).chance(8)) commit_badly(rank, 99);
  Program program(rank);
  const auto bursts = 2 + rank.common({5}).size_below(3);
  bool goes_on = true;
  for (std::uint64_t b = 1; b <= bursts && goes_on; ++b) goes_on = program.burst(b, b == bursts);
  program.end();
  rank.at("end");
}

}  // namespace weft::testing
