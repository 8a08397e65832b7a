// SPDX-License-Identifier: BSD-3-Clause
//
// Calls in the wrong order give errors that name the part. Plain MPI would hang, or read too early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <new>
#include <type_traits>

#include "tests/support/core_ranks.hpp"
#include "tests/support/watched_transport.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"

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
    EXPECT_EQ(error_of([&] { ring.exchange.start().wait(); }),
              "The exchange was not committed. Call commit() before start().");
  });
}

TEST(Misuse, twice) {
  on(2_ranks, [](Transport& world) {
    Ring ring(world);
    auto& exchange = ring.exchange;
    const auto peer = std::to_string(1 - world.rank());
    exchange.commit();
    EXPECT_EQ(error_of([&] { exchange.commit(); }), "An exchange is committed twice. Make a new exchange.");
    EXPECT_EQ(error_of([&] { exchange.client("late"); }),
              "Client 'late' is added after commit(). Add all clients before commit().");
    auto messages = exchange.start();
    EXPECT_EQ(error_of([&] { exchange.start().wait(); }),
              "The last start was not waited for. Call wait() before start().");
    EXPECT_EQ(error_of([&] { messages.ready(SendPart{ring.received}); }),
              "Client 'ring', key 5 from rank " + peer + " is a receive. Mark only sends and collectives ready.");
    messages.ready(ring.sent);
    EXPECT_EQ(
        error_of([&] { messages.ready(ring.sent); }),
        "Client 'ring', key 5 to rank " + peer + " is marked ready twice in one step. Call ready() once per start.");
    messages.ready(ring.reduced);
    EXPECT_EQ(error_of([&] { messages.ready(ring.reduced); }),
              "Client 'ring', all_reduce 0 is marked ready twice in one step. Call ready() once per start.");
    messages.wait();
    EXPECT_EQ(ring.in + ring.sum_of_all, 3);
    EXPECT_TRUE(messages.is_over());
    EXPECT_EQ(error_of([&] { messages.wait(); }), "The start was waited for already. Call start() before wait().");
    EXPECT_EQ(error_of([&] { messages.ready(ring.sent); }),
              "The start was waited for already. Call start() before ready().");
    messages.progress();  // harmless
    EXPECT_TRUE(messages.test() && messages.arrived(ring.received));
  });
}

TEST(Misuse, waiting_for_what_is_not_ready) {
  on(2_ranks, [](Transport& world) {
    Ring ring(world);
    auto& exchange = ring.exchange;
    exchange.commit();
    barrier(world);
    auto messages = exchange.start();
    EXPECT_EQ(error_of([&] { messages.wait(); }),
              "Client 'ring', key 5 to rank " + std::to_string(1 - world.rank()) +
                  " was not marked ready in round 0 (the wait would never end). Call ready() before wait().");
    messages.ready(ring.sent);
    EXPECT_THAT(error_of([&] { messages.wait(); }), HasSubstr("Client 'ring', all_reduce 0 was not marked ready"));
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
    barrier(world);
    auto messages = exchange.start();
    messages.ready_all(0, 0);
    EXPECT_EQ(error_of([&] { messages.wait(1); }), "Round 1 is waited for out of order. Wait for round 0 next.");
    messages.wait(0);
    EXPECT_EQ(error_of([&] { messages.wait(0); }), "Round 0 is waited for out of order. Wait for round 1 next.");
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
              "Client 'wrong', key 3 receives into constant memory. Give writable memory.");
    EXPECT_EQ(error_of([&] { client.barrier(-1); }), "Client 'wrong' requests round -1. Use 0 to 65535.");
    EXPECT_EQ(error_of([&] { exchange.client("wrong"); }),
              "Two clients are called 'wrong'. Give each client its own name.");
    exchange.commit();
    barrier(world);
    auto messages = exchange.start();
    EXPECT_THAT(error_of([&] {
                  messages.ready(SendPart{{1, 0}});
                }),
                HasSubstr("A part that this exchange does not have"));
    EXPECT_THAT(error_of([&] {
                  messages.ready(SendPart{{0, 0}});
                }),
                HasSubstr("A part that this exchange does not have"));
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
    const auto more = HasSubstr("Client 'growing' requests more after its exchange was committed");
    EXPECT_THAT(error_of([&] { client.send(0, 2, contiguous(std::span(&value, 1))); }), more);
    EXPECT_THAT(error_of([&] { client.receive(0, 2, contiguous(std::span(&other, 1))); }), more);
    EXPECT_THAT(error_of([&] { client.barrier(); }), more);
    EXPECT_THAT(error_of([&] { client.continuation(0, [] {}); }), more);
    auto messages = exchange.start();
    EXPECT_THAT(error_of([&] { messages.ready(SendPart{{0, 2}}); }), HasSubstr("does not have"));
    messages.ready(part);
    messages.wait();
    EXPECT_EQ(other, 1);
  });
}

// Parts are marked ready, but wait() is not called: the destructor waits.
TEST(Misuse, a_started_exchange_is_finished_when_it_goes) {
  on({1, 3}, [](Transport& world) {
    for (const bool deferred : {false, true}) {
      Ring ring(world, {.messages = {.defer_unpacking = deferred}});
      ring.exchange.commit();
      barrier(world);
      for (int step = 1; step < 4; ++step) {
        ring.out = step;
        {
          auto messages = ring.exchange.start();
          messages.ready(ring.sent);
          messages.ready(ring.reduced);
        }
        EXPECT_EQ(ring.in, step);
        EXPECT_EQ(ring.sum_of_all, step * world.size());
        EXPECT_FALSE(ring.exchange.has_failed());
      }
    }
  });
}

// An exception that was thrown before the start does not count: the destructor of the start may communicate.
TEST(Misuse, a_start_within_a_destructor_during_unwinding_is_finished) {
  on({1, 2}, [](Transport& world) {
    Ring ring(world);
    ring.exchange.commit();
    barrier(world);
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
    EXPECT_FALSE(ring.exchange.has_failed());
  });
}

TEST(Misuse, a_started_exchange_moves) {
  on({1, 2}, [](Transport& world) {
    Ring ring(world), other(world);
    ring.exchange.commit();
    other.exchange.commit();
    barrier(world);
    StartedExchange messages;
    EXPECT_TRUE(messages.is_over());
    messages = ring.exchange.start();
    messages.ready_all(0, 0);
    auto moved = std::move(messages);
    EXPECT_TRUE(messages.is_over());  // NOLINT(bugprone-use-after-move): the test is about this
    EXPECT_FALSE(moved.is_over());
    auto more = other.exchange.start();
    more.ready_all(0, 0);
    moved = std::move(more);  // waits for its previous start
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
      barrier(world);
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

// Invalid numbers, and calls for the wrong kind of part.
TEST(Misuse, wrong_arguments) {
  on({1, 2}, [](Transport& world) {
    Ring ring(world, {.messages = {.defer_unpacking = true}});
    ring.exchange.commit();
    barrier(world);
    auto messages = ring.exchange.start();
    const auto no_part = HasSubstr("A part that this exchange does not have");
    EXPECT_THAT(error_of([&] { static_cast<void>(messages.arrived(ReceivePart{{0, 9}})); }), no_part);
    EXPECT_THAT(error_of([&] { static_cast<void>(messages.arrived(ReceivePart{{7, 0}})); }), no_part);
    EXPECT_THAT(error_of([&] { messages.accept(ReceivePart{{1, 0}}); }), no_part);
    EXPECT_THAT(error_of([&] { messages.accept(ReceivePart{ring.sent}); }), HasSubstr("is not a receive"));
    EXPECT_THAT(error_of([&] { messages.ready_all(1, 0); }), HasSubstr("This exchange has no client 1 (it has 1)"));
    EXPECT_THAT(error_of([&] { messages.accept_all(3, 0); }), HasSubstr("This exchange has no client 3 (it has 1)"));
    messages.ready_all(0, 5);  // a round that does not exist: nothing to do
    messages.accept_all(0, -1);
    messages.ready_all(0, 0);
    messages.accept_all(0, 0);
    EXPECT_THAT(error_of([&] { messages.accept(ring.received); }), HasSubstr("is accepted twice in one step"));
    messages.wait();
    EXPECT_EQ(ring.in, 1);
  });
}

TEST(Misuse, a_commit_that_fails_can_be_repeated) {
  on(2_ranks, [](Transport& world) {
    for (const auto carrier : carriers_of(world)) {
      Exchange exchange(world, {.messages = {.grouping = Grouping::per_part, .carrier = carrier}});
      auto& client = exchange.client("late");
      int out = 5, in = 0;
      const auto part = client.send(1 - world.rank(), 1, contiguous(std::span(&out, 1)));
      client.receive(1 - world.rank(), world.rank() == 0 ? 1 : 2, contiguous(std::span(&in, 1)));
      for (int i = 0; i < 2; ++i) EXPECT_THAT(error_of([&] { exchange.commit(); }), HasSubstr("key 1 has no receive"));
      EXPECT_EQ(error_of([&] { exchange.start().wait(); }),
                "The exchange was not committed. Call commit() before start().");
      static_cast<void>(part);
    }
  });
}

// If one rank has too little memory for its messages, all ranks get an error, and may try again.
TEST(Misuse, a_commit_for_which_a_rank_has_no_memory) {
  on({2, 3}, [](Transport& world) {
    const auto watch = std::make_shared<Watch>();
    WatchedTransport transport(world, watch);
    Ring good(transport, {.messages = {.grouping = Grouping::per_part}});
    const bool last = world.rank() == world.size() - 1;
    bool fails = last;
    watch->before_make = [&](int tag) {
      if (fails && tag < 100) throw std::bad_alloc();  // handshakes use the last tags
    };
    EXPECT_NE(error_of([&] { good.exchange.commit(); }), "no error");
    fails = false;
    good.exchange.commit();
    auto messages = good.exchange.start();
    messages.ready_all(0, 0);
    messages.wait();
    EXPECT_EQ(good.in, 1);
  });
}

// The ranks of one node can't share memory, for example; those of the others get the same error, and all may try again.
TEST(Misuse, a_commit_of_which_a_collective_step_fails_on_one_node) {
  for (const auto* step : {"share", "gather"})
    for (const int ranks_per_node : {1, 2})
      run_in_process(3,
                     [&](Transport& world) {
                       const auto watch = std::make_shared<Watch>();
                       WatchedTransport transport(world, watch);
                       Exchange exchange(transport, {.messages = {.shared_memory = true}});
                       auto& client = exchange.client("failing");
                       int out = world.rank(), in = -1;
                       std::vector<int> all(3), none;
                       client.send((world.rank() + 1) % 3, 1, contiguous(std::span<const int>(&out, 1)));
                       client.receive((world.rank() + 2) % 3, 1, contiguous(std::span(&in, 1)));
                       for (int root = 0; root < 2; ++root)
                         client.gather(root, std::span<const int>(&out, 1),
                                       std::span(world.rank() == root ? all : none), {1, 1, 1});
                       watch->after_set_up = [&](const std::string& what) {
                         if (what == step && world.rank() == 0) throw Error("the node is full.");
                       };
                       EXPECT_EQ(error_of([&] { exchange.commit(); }), "the node is full.");
                       watch->after_set_up = {};
                       exchange.commit();
                       auto messages = exchange.start();
                       messages.ready_all(0, 0);
                       messages.wait();
                       EXPECT_EQ(in, (world.rank() + 2) % 3);
                       if (world.rank() < 2) {
                         EXPECT_EQ(all, (std::vector{0, 1, 2}));
                       }
                     },
                     {.ranks_per_node = ranks_per_node});
}

// The library refuses a message.
TEST(Misuse, a_start_that_throws) {
  on({2, 3}, [](Transport& world) {
    for (int life = 0; life < 3; ++life) {
      const auto watch = std::make_shared<Watch>();
      WatchedTransport transport(world, watch);
      Ring ring(transport);
      ring.exchange.commit();
      barrier(world);  // no rank is in commit() when another fails
      watch->before_start = [&] {
        watch->before_start = {};
        throw Error("the library refuses.", true);
      };
      EXPECT_THAT(error_of([&] { ring.exchange.start().wait(); }), HasSubstr("the library refuses."));
      EXPECT_TRUE(ring.exchange.has_failed());
    }
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

// Continuations send parts only: no call could mark the collective as ready.
TEST(Misuse, a_collective_in_a_round_of_a_continuation) {
  on({1, 2}, [](Transport& world) {
    Exchange exchange(world);
    auto& client = exchange.client("both");
    client.continuation(0, [] {});
    client.barrier(1);
    EXPECT_THAT(error_of([&] { exchange.commit(); }),
                HasSubstr("has a collective in round 1, which a continuation starts"));
  });
}

// A continuation may be called in ready(). If its exception is caught there, wait() names it.
TEST(Misuse, waiting_for_what_a_continuation_did_not_send) {
  on({1, 3}, [](Transport& world) {
    for (const bool all : {false, true}) {
      int out = 1, in = 0;
      Exchange exchange(world);
      auto& client = exchange.client("chained");
      client.continuation(0, [&] { throw Error("the continuation fails."); });
      const auto part = client.send(world.rank(), 1, contiguous(std::span(&in, 0)));
      client.receive(world.rank(), 1, contiguous(std::span(&in, 0)));
      client.send((world.rank() + 1) % world.size(), 2, contiguous(std::span(&out, 1)), 1);
      client.receive((world.rank() + world.size() - 1) % world.size(), 2, contiguous(std::span(&in, 1)), 1);
      exchange.commit();
      barrier(world);
      EXPECT_THAT(error_of([&] {
                    auto messages = exchange.start();
                    EXPECT_THAT(error_of([&] { all ? messages.ready_all(0, 0) : messages.ready(part); }),
                                HasSubstr("the continuation fails."));
                    messages.wait();
                  }),
                  HasSubstr("the continuation fails."));
      EXPECT_EQ(in, 0);
    }
  });
}

TEST(Misuse, an_exchange_that_goes_while_another_rank_fails_says_nothing) {
  EXPECT_EQ(error_of([] {
              run_in_process(2, [](Transport& world) {
                Ring ring(world);
                ring.exchange.commit();
                barrier(world);
                auto messages = ring.exchange.start();
                if (world.rank() == 1) throw Error("rank 1 is lost.");
                messages.ready(ring.sent);  // the destructor waits in vain
                messages.ready(ring.reduced);
              });
            }),
            "rank 1 is lost.");
}

}  // namespace
}  // namespace weft
