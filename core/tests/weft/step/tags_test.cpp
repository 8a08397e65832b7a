// SPDX-License-Identifier: BSD-3-Clause
//
// The exchanges of a StepManager share one duplicate of the transport, and have separate ranges of its tags.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "tests/support/core_ranks.hpp"
#include "tests/support/watched_transport.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/step/step_manager.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

// Sends some numbers to the right, and sums one number over all ranks.
struct TaggedRing : Client {
  TaggedRing(const Transport& world, int number) : number(number), rank(world.rank()), size(world.size()) {}
  void request(Requests& requests) override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      requests.send((rank + 1) % size, i, contiguous(std::span(&out[i], 1)));
      requests.receive((rank + size - 1) % size, i, contiguous(std::span(&in[i], 1)));
    }
    requests.all_reduce(std::span<const int>(&out[0], 1), std::span(&total, 1), sum<int>());
  }
  int value(int source, const Step& step, std::size_t i) const {
    return 1000 * number + 100 * source + 10 * static_cast<int>(step.number()) + static_cast<int>(i);
  }
  void before(Step& step) override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(rank, step, i);
  }
  void after(Step& step) override {
    int expected = 0;
    for (int r = 0; r < size; ++r) expected += value(r, step, 0);
    EXPECT_EQ(total, expected);
    for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(in[i], value((rank + size - 1) % size, step, i));
    ++steps_seen;
  }
  int number, rank, size, total = 0, steps_seen = 0;
  std::array<int, 4> out{}, in{};
};

constexpr int sets = 10;

// In step s only client s % 10 takes part, so there are ten exchanges.
struct TenSets {
  TenSets(Transport& world, const StepOptions& options) : steps(world, options) {
    for (int i = 0; i < sets; ++i)
      steps.add("ring " + std::to_string(i), rings.emplace_back(world, i), {.every = sets, .offset = i});
  }
  std::deque<TaggedRing> rings;
  StepManager steps;
};

TEST(StepTags, ten_sets_of_clients_share_one_duplicate) {
  on(any_ranks, [](Transport& world) {
    for (const bool coalesce : {true, false}) {
      const auto watch = std::make_shared<Watch>();
      WatchedTransport counting(world, watch);
      TenSets ten(counting, {.coalesce = coalesce, .messages = {.grouping = Grouping::per_part}});
      for (int i = 0; i < 3 * sets; ++i) ten.steps.run_step();
      ten.steps.use({.messages = {.grouping = Grouping::per_peer}}, true);
      for (int i = 0; i < sets; ++i) ten.steps.run_step();
      EXPECT_EQ(ten.rings[3].steps_seen, 4);
      EXPECT_EQ(watch->duplicates, 1);
    }
  });
}

// Messages arrive in another order than they were sent.
int mixed_delay(int source, int target, int tag) { return (5 * source + 3 * target + 7 * (tag % 11) + 40) % 11; }

thread_local int set_now = 0;

TEST(StepTags, messages_of_two_exchanges_never_have_the_same_tag) {
  constexpr int ranks = 3, last_tag = 1000;
  std::map<int, std::set<int>> users;  // by tag; under the transport's mutex
  InProcessOptions options{.last_tag = last_tag};
  options.delay = [&](int source, int target, int tag) {
    if (source >= 0 && tag <= last_tag - reserved_tags) users[tag].insert(set_now);
    return mixed_delay(source, target, tag);
  };
  run_in_process(
      ranks,
      [](Transport& world) {
        TenSets ten(world, {.messages = {.grouping = Grouping::per_part}});
        for (int i = 0; i < 5 * sets; ++i) {
          set_now = i % sets;
          ten.steps.run_step();
        }
      },
      options);
  EXPECT_EQ(users.size(), 4u * sets);
  for (const auto& [tag, of] : users) EXPECT_EQ(of.size(), 1u) << tag;
}

// 18 tags are enough for 4 exchanges with 4 tags each.
TEST(StepTags, another_duplicate_is_made_when_they_run_out) {
  for (const bool delayed : {false, true}) {
    InProcessOptions options{.last_tag = 20, .synchronous = delayed};
    if (delayed) options.delay = mixed_delay;
    run_in_process(
        3,
        [](Transport& world) {
          const auto watch = std::make_shared<Watch>();
          WatchedTransport counting(world, watch);
          TenSets ten(counting, {.messages = {.grouping = Grouping::per_part}});
          for (int i = 0; i < 3 * sets; ++i) ten.steps.run_step();
          EXPECT_EQ(watch->duplicates, 3);
        },
        options);
  }
}

TEST(StepTags, a_plan_that_needs_more_than_there_are_is_refused) {
  run_in_process(2,
                 [](Transport& world) {
                   StepManager steps(world, {.messages = {.grouping = Grouping::per_part}});
                   TaggedRing a(world, 1), b(world, 2);
                   steps.add("a", a);
                   steps.run_step();
                   steps.add("b", b);
                   EXPECT_THAT(
                       error_of([&] { steps.run_step(); }),
                       HasSubstr("needs 8 tags for its messages with one peer, but this transport (in-process) has 6. "
                                 "Group parts per peer, or make pieces larger."));
                   steps.use({.messages = {.grouping = Grouping::per_peer}});
                   steps.run_step();
                   EXPECT_EQ(b.steps_seen, 1);
                 },
                 {.last_tag = 8});
}

// An exchange that was constructed before another one has used up the tags takes those of the new duplicate.
TEST(StepTags, are_those_of_the_duplicate_at_commit) {
  struct Numbered {
    Numbered(MessageSpace& space, int peer, std::size_t parts, int first)
        : out(parts), in(parts, -1), exchange(space, {.messages = {.grouping = Grouping::per_part}}) {
      auto& client = exchange.client("numbered");
      for (std::size_t k = 0; k < parts; ++k) {
        out[k] = first + static_cast<int>(k);
        client.send(peer, k, contiguous(std::span<const int>(&out[k], 1)));
        client.receive(peer, k, contiguous(std::span(&in[k], 1)));
      }
    }
    std::vector<int> out, in;
    Exchange exchange;
  };
  run_in_process(2,
                 [](Transport& world) {
                   MessageSpace space(world);
                   const int peer = 1 - world.rank();
                   Numbered a(space, peer, 5, 100);
                   a.exchange.commit();
                   Numbered b(space, peer, 3, 200), c(space, peer, 1, 300);
                   b.exchange.commit();  // in another duplicate
                   c.exchange.commit();
                   auto of_c = c.exchange.start();
                   of_c.ready_all(0, 0);
                   auto of_a = a.exchange.start();
                   of_a.ready_all(0, 0);
                   of_a.wait();
                   of_c.wait();
                   EXPECT_EQ(a.in, a.out);
                   EXPECT_EQ(c.in, c.out);
                 },
                 {.last_tag = 9});
}

TEST(StepTags, an_exchange_by_itself_has_its_own_duplicate) {
  on({1, 2}, [](Transport& world) {
    const auto watch = std::make_shared<Watch>();
    WatchedTransport counting(world, watch);
    Exchange one(counting), other(counting);
    EXPECT_EQ(watch->duplicates, 2);
    MessageSpace space(counting);
    Exchange a(space), b(space);
    EXPECT_EQ(watch->duplicates, 3);
    for (auto* exchange : {&one, &other, &a, &b}) exchange->commit();
    EXPECT_EQ(watch->duplicates, 3);
  });
}

}  // namespace
}  // namespace weft
