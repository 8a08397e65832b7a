// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages; over any transport.
#include "weft/mailbox/mailbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

struct Letter {
  int sender, number;
  std::uint64_t hash;
};
struct Hop {
  int left;
};

std::vector<std::uint64_t> content(const Letter& letter) {
  Random random(letter.hash);
  std::vector<std::uint64_t> result(random.chance(10) ? random.size_below(5000) : random.size_below(20));
  for (auto& x : result) x = random.next();
  return result;
}

std::span<const std::byte> bytes(const std::vector<std::uint64_t>& values) { return std::as_bytes(std::span(values)); }

TEST(Mailbox, everything_arrives_once_and_in_order) {
  on(any_ranks, [](Transport& world) {
    for (const std::size_t bucket : {48u, 256u, 0u}) {
      Mailbox mailbox(world, {.bucket_bytes = bucket, .buckets_per_peer = bucket == 48 ? 1 : 4});
      std::vector<int> next(static_cast<std::size_t>(world.size()), 0);
      std::int64_t wrong = 0, got = 0;
      mailbox.on<Letter>(7, [&](int from, const Letter& letter, std::span<const std::byte> payload) {
        ++got;
        const auto expected = content(letter);
        const auto told = bytes(expected);
        if (letter.sender != from || letter.number != next[static_cast<std::size_t>(from)]++ ||
            !std::equal(told.begin(), told.end(), payload.begin(), payload.end()) ||
            reinterpret_cast<std::uintptr_t>(payload.data()) % 16 != 0)
          ++wrong;
      });
      Random random(hash({static_cast<std::uint64_t>(world.rank()), bucket}));
      for (int round = 0; round < 3; ++round) {
        std::fill(next.begin(), next.end(), 0);
        std::vector<int> count(next.size(), 0);
        std::int64_t sent = 0;
        for (int i = random.below(60); i > 0; --i, ++sent) {
          const int to = random.below(world.size());
          const Letter letter{world.rank(), count[static_cast<std::size_t>(to)]++, random.next()};
          mailbox.post(to, letter, bytes(content(letter)));
          if (random.chance(4)) mailbox.poll();
        }
        mailbox.drain();
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(all_reduce(world, std::exchange(got, 0), sum<std::int64_t>()),
                  all_reduce(world, sent, sum<std::int64_t>()));
      }
    }
  });
}

// A chain of messages in which each handler posts the next one; drain() waits for the last one.
TEST(Mailbox, handlers_post_and_the_drain_sees_it) {
  on(any_ranks, [](Transport& world) {
    Mailbox mailbox(world, {.bucket_bytes = 64});
    std::int64_t hops = 0;
    mailbox.on<Hop>(1, [&](int, const Hop& hop, std::span<const std::byte>) {
      ++hops;
      if (hop.left == 0) return;
      mailbox.post((world.rank() + 1) % world.size(), Hop{hop.left - 1});
      if (hop.left % 50 == 0) mailbox.post(0, Hop{0});
    });
    for (const int length : {0, 99, 7}) {
      hops = 0;
      if (world.rank() == world.size() - 1) mailbox.post(0, Hop{length});
      mailbox.drain();
      EXPECT_EQ(all_reduce(world, hops, sum<std::int64_t>()), length + 1 + (length == 99 ? 1 : 0));
      EXPECT_EQ(all_reduce(world, mailbox.posted(), sum<std::int64_t>()),
                all_reduce(world, mailbox.handled(), sum<std::int64_t>()));
    }
    mailbox.drain();
  });
}

TEST(Mailbox, a_slow_receiver_bounds_what_its_senders_keep) {
  on({2, 4}, [](Transport& world) {
    Mailbox mailbox(world, {.bucket_bytes = 128, .buckets_per_peer = 3});
    std::int64_t got = 0;
    mailbox.on<Hop>(1, [&](int, const Hop&, std::span<const std::byte> payload) {
      got += static_cast<std::int64_t>(payload.size());
    });
    const std::vector<std::uint64_t> data(5, 1), large(2000, 2);
    if (world.rank() > 0)
      for (int i = 0; i < 200; ++i) mailbox.post(0, Hop{i}, bytes(i % 50 == 49 ? large : data));
    else
      while (got < 40 * 4) mailbox.poll();
    mailbox.drain();
    EXPECT_LE(mailbox.most_buckets(), 4u);
    if (world.rank() == 0) {
      EXPECT_EQ(got, (world.size() - 1) * (196 * 40 + 4 * 16000));
    }
  });
}

// The messages of both directions together exceed the limit of messages in flight.
TEST(Mailbox, ranks_that_post_to_each_other_do_not_wait_for_each_other) {
  on(any_ranks, [](Transport& world) {
    Mailbox mailbox(world, {.bucket_bytes = 64, .buckets_per_peer = 1});
    std::int64_t got = 0;
    mailbox.on<Hop>(1, [&](int, const Hop&, std::span<const std::byte>) { ++got; });
    const std::vector<std::uint64_t> data(40, 1);
    for (int i = 0; i < 50; ++i)
      for (int to = 0; to < world.size(); ++to) mailbox.post(to, Hop{i}, bytes(data));
    mailbox.drain();
    EXPECT_EQ(got, 50 * world.size());
  });
}

// A rank that has left drain() posts while others are still counting: they receive the message in their next phase.
TEST(Mailbox, messages_of_the_next_phase_wait_for_it) {
  struct Phase {
    int number;
  };
  on(any_ranks, [](Transport& world) {
    Mailbox mailbox(world, {.bucket_bytes = 64});
    int phase = 0, seen = 0, early = 0;
    mailbox.on<Phase>(1, [&](int, const Phase& message, auto) {
      ++seen;
      if (message.number != phase) ++early;
    });
    for (; phase < 60; ++phase) {
      // The first to leave the drain before posts at once; the others poll first.
      for (int i = (world.rank() + phase) % world.size(); i > 0; --i) mailbox.poll();
      for (int r = 0; r < world.size(); ++r)
        for (int k = 0; k < 3; ++k) mailbox.post(r, Phase{phase});
      for (int i = 0; i < 5; ++i) mailbox.poll();
      mailbox.drain();
      EXPECT_EQ(seen, 3 * world.size() * (phase + 1));
    }
    EXPECT_EQ(early, 0);
  });
}

TEST(Mailbox, errors_are_thrown_by_the_drain_on_every_rank) {
  on(any_ranks, [](Transport& world) {
    Mailbox mailbox(world);
    struct Strange {
      char c;
    };
    mailbox.on<Hop>(1, [](int, const Hop& hop, std::span<const std::byte>) {
      if (hop.left == 13) throw Error("13 is no number.");
    });
    EXPECT_THAT(error_of([&] { mailbox.on<Strange>(1, {}); }), HasSubstr("a handler for type 1 already"));
    EXPECT_THAT(error_of([&] { mailbox.on<Hop>(2, {}); }), HasSubstr("as type 1 already"));
    EXPECT_THAT(error_of([&] { mailbox.post(0, Strange{'x'}); }), HasSubstr("whose header is not registered"));
    EXPECT_THAT(error_of([&] { mailbox.post(world.size(), Hop{1}); }),
                HasSubstr("is posted to rank " + std::to_string(world.size())));
    for (const int number : {12, 13, 14}) mailbox.post(0, Hop{number});
    EXPECT_THAT(error_of([&] { mailbox.drain(); }), HasSubstr("of type 1 from rank "));
    mailbox.post(0, Hop{15});
    mailbox.drain();  // the error did no harm
    EXPECT_EQ(all_reduce(world, mailbox.handled(), sum<std::int64_t>()), 4 * world.size());
    if (world.rank() == 0) mailbox.on<Letter>(9, [](int, const Letter&, std::span<const std::byte>) {});
    if (world.rank() == 0) mailbox.post(world.size() - 1, Letter{});
    const auto said = error_of([&] { mailbox.drain(); });
    if (world.size() == 1) {
      EXPECT_EQ(said, "no error");
    } else {
      EXPECT_EQ(said, "A message of type 9 from rank 0 has no handler. Call on() for its type on every rank.");
    }
  });
}

// An object with messages of several types and sizes, from every rank to every rank, which are not drained.
struct Undrained {
  explicit Undrained(Transport& world, MailboxOptions options = {}) : mailbox(world, options) {
    mailbox.on<Hop>(1, [this](int, const Hop&, auto) { ++handled; });
    mailbox.on<Letter>(2, [this](int, const Letter&, auto) { ++handled; });
  }
  void post(int ranks) {
    // more than four aggregation buffers
    const std::vector<std::uint64_t> small(3, 1), large(mailbox.bucket_bytes() / 2, 2);
    for (int to = 0; to < ranks; ++to)
      for (int i = 0; i < 8; ++i) {
        mailbox.post(to, Hop{i}, bytes(small));
        mailbox.post(to, Letter{}, bytes(i % 4 == 1 ? large : small));
      }
  }
  std::int64_t handled = 0;
  Mailbox mailbox;
};

// A new mailbox gets the messages posted to it, and no others.
void expect_a_working_mailbox(Transport& world) {
  Undrained next(world);
  next.mailbox.post((world.rank() + 1) % world.size(), Hop{1});
  next.mailbox.drain();
  EXPECT_EQ(next.handled, 1);
  EXPECT_EQ(abandoned_operations(), 0);
}

// It fails: messages may be in flight.
TEST(Mailbox, one_that_is_not_drained_throws_away_what_is_on_its_way) {
  on(any_ranks, [](Transport& world) {
    for (const MailboxOptions options :
         {MailboxOptions{.bucket_bytes = 256, .buckets_per_peer = 1000}, {.bucket_bytes = 65536}}) {
      for (const bool is_drained_before : {false, true}) {
        std::int64_t handled = 0;
        auto undrained = std::make_unique<Undrained>(world, options);
        undrained->mailbox.on<std::int64_t>(3, [&](int, std::int64_t, auto) { ++handled; });
        if (is_drained_before) {
          undrained->post(world.size());
          undrained->mailbox.drain();
          barrier(world);
        }
        error_of([&] { undrained->post(world.size()); });  // another rank may have destroyed its own
        const auto before = handled;
        undrained.reset();
        EXPECT_EQ(handled, before);  // no handler was called
        expect_a_working_mailbox(world);
      }
    }
  });
}

// Rank 0 waits for room on ranks that have destroyed theirs.
TEST(Mailbox, who_still_posts_is_told_that_it_was_destroyed) {
  on({2, 4}, [](Transport& world) {
    const auto said = error_of([&] {
      Undrained undrained(world, {.bucket_bytes = 256, .buckets_per_peer = 1});
      if (world.rank() != 0) {
        while (undrained.mailbox.handled() == 0) undrained.mailbox.poll();
        return;
      }
      for (int i = 0; i < 1000; ++i) undrained.post(world.size());
    });
    if (world.rank() == 0) {
      EXPECT_THAT(said, HasSubstr("was destroyed with messages in flight"));
    }
    expect_a_working_mailbox(world);
  });
}

// post() returns at once, whatever the other ranks have received.
constexpr MailboxOptions never_waits{.bucket_bytes = 65536, .buckets_per_peer = 1000};

TEST(Mailbox, goes_while_an_exception_is_on_its_way_on_every_rank) {
  on(any_ranks, [](Transport& world) {
    barrier(world);
    EXPECT_EQ(error_of([&] {
                Undrained undrained(world, never_waits);
                undrained.post(world.size());
                throw Error("the input is wrong.", true);
              }),
              "the input is wrong.");
    expect_a_working_mailbox(world);
  });
}

// A rank in the destructor does not wait for a failed rank that has ended.
TEST(Mailbox, does_not_wait_for_a_rank_that_has_gone) {
  on({2, 4}, [](Transport& world) {
    // MPI can't withdraw messages, so there the program would end
    if (world.library() != std::string("in-process")) return;
    for (const bool drains : {false, true}) {
      EXPECT_EQ(error_of([&] {
                  Undrained undrained(world, never_waits);
                  undrained.post(world.size());
                  if (world.rank() == 0) throw Error("rank 0 is wrong.");
                  if (drains) {
                    EXPECT_NE(error_of([&] { undrained.mailbox.drain(); }), "no error");
                  }
                  std::this_thread::sleep_for(std::chrono::duration<double>(2 * world.seconds_to_arrive()));
                }),
                world.rank() == 0 ? "rank 0 is wrong." : "no error");
      barrier(world);
    }
    expect_a_working_mailbox(world);
  });
}

TEST(Mailbox, tells_who_drains_that_another_rank_has_gone) {
  on({2, 4}, [](Transport& world) {
    barrier(world);
    const auto said = error_of([&] {
      Undrained undrained(world, never_waits);
      undrained.post(world.size());
      if (world.rank() == 0) throw Error("rank 0 is wrong.");
      undrained.mailbox.drain();
    });
    if (world.rank() == 0) {
      EXPECT_EQ(said, "rank 0 is wrong.");
    } else {
      EXPECT_THAT(said, HasSubstr("The mailbox has failed (rank 0: "));
    }
    expect_a_working_mailbox(world);
  });
}

// Nor does a rank that waits for free buffers in post().
TEST(Mailbox, tells_who_posts_that_another_rank_has_gone) {
  on({2, 4}, [](Transport& world) {
    barrier(world);
    const auto said = error_of([&] {
      Undrained undrained(world, {.bucket_bytes = 256, .buckets_per_peer = 1});
      if (world.rank() == 0) throw Error("rank 0 is wrong.");
      for (;;) undrained.post(world.size());
    });
    EXPECT_THAT(said, HasSubstr(world.rank() == 0 ? "rank 0 is wrong." : "The mailbox has failed (rank 0: "));
  });
}

}  // namespace
}  // namespace weft
