// SPDX-License-Identifier: BSD-3-Clause
//
// Calls in the wrong order are errors that name the part, where plain MPI would hang or read too early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

// Each rank sends one number to itself or to its right neighbour.
struct Ring {
  explicit Ring(Transport& world, ExchangeOptions options = {}) : exchange(world, std::move(options)) {
    auto& client = exchange.client("ring");
    sent = client.send((world.rank() + 1) % world.size(), 5, contiguous(std::span(&out, 1)));
    received = client.receive((world.rank() + world.size() - 1) % world.size(), 5, contiguous(std::span(&in, 1)));
    reduced = client.all_reduce(std::span<const int>(&out, 1), std::span(&sum_of_all, 1), sum<int>());
  }
  int out = 1, in = 0, sum_of_all = 0;
  Exchange exchange;
  SendPart sent;
  ReceivePart received;
  CollectivePart reduced;
};

template <class Part>
concept can_be_marked_ready = requires(StartedExchange& messages, Part part) {
  messages.ready(part);
};
template <class Part>
concept can_be_accepted = requires(StartedExchange& messages, Part part) {
  messages.accept(part);
};
static_assert(can_be_marked_ready<SendPart> && can_be_marked_ready<CollectivePart> &&
              !can_be_marked_ready<ReceivePart>);
static_assert(can_be_accepted<ReceivePart> && !can_be_accepted<SendPart> && !can_be_accepted<CollectivePart>);
static_assert(!std::is_copy_constructible_v<StartedExchange> && std::is_nothrow_move_constructible_v<StartedExchange>);

TEST(Misuse, before_commit) {
  on(2_ranks, [](Transport& world) {
    Ring ring(world);
    EXPECT_EQ(error_of([&] { ring.exchange.start().wait(); }), "start() comes before commit().");
  });
}

TEST(Misuse, twice) {
  on(2_ranks, [](Transport& world) {
    Ring ring(world);
    auto& exchange = ring.exchange;
    const auto peer = std::to_string(1 - world.rank());
    exchange.commit();
    EXPECT_EQ(error_of([&] { exchange.commit(); }), "an exchange is committed once. make a new one.");
    EXPECT_EQ(error_of([&] { exchange.client("late"); }),
              "client 'late' comes after commit(). add all clients before it.");
    auto messages = exchange.start();
    EXPECT_EQ(error_of([&] { exchange.start().wait(); }), "start() comes before the last start was waited for.");
    EXPECT_EQ(error_of([&] { messages.ready(SendPart{ring.received}); }),
              "client 'ring', key 5 from rank " + peer + " is a receive. only what is sent is marked ready.");
    messages.ready(ring.sent);
    EXPECT_EQ(error_of([&] { messages.ready(ring.sent); }),
              "client 'ring', key 5 to rank " + peer + " is marked ready twice in one step.");
    messages.ready(ring.reduced);
    EXPECT_EQ(error_of([&] { messages.ready(ring.reduced); }),
              "client 'ring', all_reduce 0 is marked ready twice in one step.");
    messages.wait();
    EXPECT_EQ(ring.in + ring.sum_of_all, 3);
    EXPECT_TRUE(messages.is_over());
    EXPECT_EQ(error_of([&] { messages.wait(); }), "wait() comes after the start was waited for.");
    EXPECT_EQ(error_of([&] { messages.ready(ring.sent); }), "ready() comes after the start was waited for.");
    messages.progress();  // harmless
    EXPECT_TRUE(messages.test() && messages.arrived(ring.received));
  });
}

TEST(Misuse, waiting_for_what_is_not_ready) {
  on(2_ranks, [](Transport& world) {
    Ring ring(world);
    auto& exchange = ring.exchange;
    exchange.commit();
    auto messages = exchange.start();
    EXPECT_EQ(error_of([&] { messages.wait(); }),
              "client 'ring', key 5 to rank " + std::to_string(1 - world.rank()) +
                  " was not marked ready in round 0 (the wait would never end). call ready() before wait().");
    messages.ready(ring.sent);
    EXPECT_THAT(error_of([&] { messages.wait(); }), HasSubstr("client 'ring', all_reduce 0 was not marked ready"));
    messages.ready(ring.reduced);
    messages.wait();  // the errors did no harm
    EXPECT_EQ(ring.in + ring.sum_of_all, 3);
  });
}

TEST(Misuse, rounds_out_of_turn) {
  on(2_ranks, [](Transport& world) {
    Exchange exchange(world);
    auto& client = exchange.client("rounds");
    client.barrier(0);
    client.barrier(1);
    exchange.commit();
    auto messages = exchange.start();
    messages.ready_all(0, 0);
    EXPECT_EQ(error_of([&] { messages.wait(1); }), "round 1 is waited for out of turn (round 0 is next).");
    messages.wait(0);
    EXPECT_EQ(error_of([&] { messages.wait(0); }), "round 0 is waited for out of turn (round 1 is next).");
    messages.ready_all(0, 1);
    messages.wait(1);
  });
}

TEST(Misuse, registration) {
  on(1_ranks, [](Transport& world) {
    Exchange exchange(world);
    auto& client = exchange.client("wrong");
    const int constant = 1;
    EXPECT_EQ(error_of([&] { client.receive(0, 3, contiguous(std::span(&constant, 1))); }),
              "client 'wrong', key 3 receives into constant memory.");
    EXPECT_EQ(error_of([&] { client.barrier(-1); }), "client 'wrong' asks for round -1. rounds start at 0.");
    EXPECT_EQ(error_of([&] { exchange.client("wrong"); }), "two clients are called 'wrong'. give each its own name.");
    exchange.commit();
    auto messages = exchange.start();
    EXPECT_THAT(error_of([&] {
                  messages.ready(SendPart{{1, 0}});
                }),
                HasSubstr("a part that this exchange does not have"));
    EXPECT_THAT(error_of([&] {
                  messages.ready(SendPart{{0, 0}});
                }),
                HasSubstr("a part that this exchange does not have"));
    messages.wait();
  });
}

TEST(Misuse, a_list_is_sealed_by_commit) {
  on({1, 2}, [](Transport& world) {
    Exchange exchange(world);
    auto& client = exchange.client("growing");
    int value = 1, other = 0;
    const auto part = client.send((world.rank() + 1) % world.size(), 1, contiguous(std::span(&value, 1)));
    client.receive((world.rank() + world.size() - 1) % world.size(), 1, contiguous(std::span(&other, 1)));
    exchange.commit();
    const auto more = HasSubstr("client 'growing' asks for more after its exchange was committed");
    EXPECT_THAT(error_of([&] { client.send(0, 2, contiguous(std::span(&value, 1))); }), more);
    EXPECT_THAT(error_of([&] { client.receive(0, 2, contiguous(std::span(&other, 1))); }), more);
    EXPECT_THAT(error_of([&] { client.barrier(); }), more);
    EXPECT_THAT(error_of([&] { client.relay(0, [] {}); }), more);
    auto messages = exchange.start();
    EXPECT_THAT(error_of([&] { messages.ready(SendPart{{0, 2}}); }), HasSubstr("does not have"));
    messages.ready(part);
    messages.wait();
    EXPECT_EQ(other, 1);
  });
}

// Marked ready but not waited for: it is waited for where it goes.
TEST(Misuse, a_started_exchange_is_finished_when_it_goes) {
  on({1, 3}, [](Transport& world) {
    for (const bool held : {false, true}) {
      Ring ring(world, {.held = held});
      ring.exchange.commit();
      for (int step = 1; step < 4; ++step) {
        ring.out = step;
        {
          auto messages = ring.exchange.start();
          messages.ready(ring.sent);
          messages.ready(ring.reduced);
        }
        EXPECT_EQ(ring.in, step);
        EXPECT_EQ(ring.sum_of_all, step * world.size());
        EXPECT_FALSE(ring.exchange.has_let_go());
      }
    }
  });
}

// What was not marked ready is not computed yet: nobody gets it.
TEST(Misuse, a_started_exchange_that_is_not_ready_lets_go) {
  on({1, 3}, [](Transport& world) {
    for (const auto kind : {ProgressOptions::Kind::passive, ProgressOptions::Kind::thread}) {
      if (kind == ProgressOptions::Kind::thread && !world.thread_multiple()) continue;
      Ring ring(world, {.progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind})});
      ring.exchange.commit();
      static_cast<void>(ring.exchange.start());
      EXPECT_TRUE(ring.exchange.has_let_go());
      EXPECT_EQ(ring.in + ring.sum_of_all, 0);
      EXPECT_EQ(error_of([&] { ring.exchange.start().wait(); }),
                "start() comes after a start that was not waited for. make a new exchange.");
    }
    Ring next(world);
    next.exchange.commit();
    auto messages = next.exchange.start();
    messages.ready_all(0, 0);
    messages.wait();
    EXPECT_EQ(next.in, 1);
  });
}

// Also while an exception is on its way, even if all is ready: the peers may be anywhere.
TEST(Misuse, an_exception_lets_go_and_the_program_goes_on) {
  on({1, 3}, [](Transport& world) {
    // MPI can't take a collective back, and is not to be driven any more then.
    const bool takes_back = std::string(world.library()) == "in-process";
    for (int life = 0; life < (takes_back ? 3 : 2); ++life) {
      Ring ring(world);
      ring.exchange.commit();
      EXPECT_EQ(error_of([&] {
                  auto messages = ring.exchange.start();
                  if (life > 0) messages.ready(ring.sent);
                  if (life > 1) messages.ready(ring.reduced);
                  throw Error("the computation fails.", true);
                }),
                "the computation fails.");
      EXPECT_TRUE(ring.exchange.has_let_go());
      if (life < 2) {
        EXPECT_EQ(ring.sum_of_all, 0);  // nobody gave its own
      }
    }
    EXPECT_EQ(abandoned_operations(), 0);
    Ring next(world);
    next.exchange.commit();
    auto messages = next.exchange.start();
    messages.ready_all(0, 0);
    messages.wait();
    EXPECT_EQ(next.in + next.sum_of_all, 1 + world.size());
  });
}

// An exception that was on its way before the start does not count: a destructor may communicate.
TEST(Misuse, a_start_within_a_destructor_during_unwinding_is_finished) {
  on({1, 2}, [](Transport& world) {
    Ring ring(world);
    ring.exchange.commit();
    struct Last {
      explicit Last(Ring& r) : ring(r) {}
      ~Last() {
        auto messages = ring.exchange.start();
        messages.ready_all(0, 0);
      }
      Ring& ring;
    };
    EXPECT_EQ(error_of([&] {
                const Last last(ring);
                throw Error("everybody ends.", true);
              }),
              "everybody ends.");
    EXPECT_EQ(ring.in, 1);
    EXPECT_FALSE(ring.exchange.has_let_go());
  });
}

TEST(Misuse, a_started_exchange_moves) {
  on({1, 2}, [](Transport& world) {
    Ring ring(world), other(world);
    ring.exchange.commit();
    other.exchange.commit();
    StartedExchange messages;
    EXPECT_TRUE(messages.is_over());
    messages = ring.exchange.start();
    messages.ready_all(0, 0);
    auto moved = std::move(messages);
    EXPECT_TRUE(messages.is_over());  // NOLINT(bugprone-use-after-move): that is what it says
    EXPECT_FALSE(moved.is_over());
    auto more = other.exchange.start();
    more.ready_all(0, 0);
    moved = std::move(more);  // what was in it is waited for
    EXPECT_EQ(ring.in, 1);
    moved.wait();
    EXPECT_EQ(other.in, 1);
  });
}

TEST(Misuse, an_exchange_may_go_before_its_start) {
  on({1, 2}, [](Transport& world) {
    StartedExchange messages;
    int in = 0;
    {
      Exchange exchange(world);
      auto& client = exchange.client("short");
      const int out = 1 + world.rank();
      client.send((world.rank() + 1) % world.size(), 1, contiguous(std::span(&out, 1)));
      client.receive((world.rank() + 1) % world.size(), 1, contiguous(std::span(&in, 1)));
      exchange.commit();
      messages = exchange.start();
      messages.ready_all(0, 0);
    }
    EXPECT_TRUE(messages.is_over());
    EXPECT_EQ(in, 1 + (world.rank() + 1) % world.size());
  });
}

TEST(Misuse, an_exchange_may_go_uncommitted_or_unstarted) {
  on(2_ranks, [](Transport& world) {
    Ring never(world), committed(world);
    committed.exchange.commit();
  });
}

TEST(Misuse, an_exchange_that_goes_while_another_rank_fails_says_nothing) {
  EXPECT_EQ(error_of([] {
              run_in_process(2, [](Transport& world) {
                Ring ring(world);
                ring.exchange.commit();
                auto messages = ring.exchange.start();
                if (world.rank() == 1) throw Error("rank 1 is lost.");
                messages.ready(ring.sent);  // and its destructor waits in vain
                messages.ready(ring.reduced);
              });
            }),
            "rank 1 is lost.");
}

}  // namespace
}  // namespace weft
