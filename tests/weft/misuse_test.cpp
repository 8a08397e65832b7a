// SPDX-License-Identifier: BSD-3-Clause
//
// Calls in the wrong order are errors that name the part, where plain MPI would hang or read too early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  Part sent, received, reduced;
};

TEST(misuse, before_commit) {
  on(2_ranks, [](Transport& world) {
    Ring ring(world);
    EXPECT_EQ(error_of([&] { ring.exchange.start(); }), "start() comes before commit().");
    EXPECT_EQ(error_of([&] { ring.exchange.ready(ring.sent); }),
              "client 'ring', key 5 to rank " + std::to_string(1 - world.rank()) + " is marked ready before start().");
    EXPECT_EQ(error_of([&] { ring.exchange.wait(); }), "wait() comes before start().");
    ring.exchange.progress();  // harmless
  });
}

TEST(misuse, twice) {
  on(2_ranks, [](Transport& world) {
    Ring ring(world);
    auto& exchange = ring.exchange;
    const auto peer = std::to_string(1 - world.rank());
    exchange.commit();
    EXPECT_EQ(error_of([&] { exchange.commit(); }), "an exchange is committed once. make a new one.");
    EXPECT_EQ(error_of([&] { exchange.client("late"); }),
              "client 'late' comes after commit(). add all clients before it.");
    EXPECT_EQ(error_of([&] { exchange.ready(ring.sent); }),
              "client 'ring', key 5 to rank " + peer + " is marked ready before start().");
    exchange.start();
    EXPECT_EQ(error_of([&] { exchange.start(); }), "start() comes before the last step was waited for.");
    EXPECT_EQ(error_of([&] { exchange.ready(ring.received); }),
              "client 'ring', key 5 from rank " + peer + " is a receive. only what is sent is marked ready.");
    exchange.ready(ring.sent);
    EXPECT_EQ(error_of([&] { exchange.ready(ring.sent); }),
              "client 'ring', key 5 to rank " + peer + " is marked ready twice in one step.");
    exchange.ready(ring.reduced);
    EXPECT_EQ(error_of([&] { exchange.ready(ring.reduced); }),
              "client 'ring', all_reduce 0 is marked ready twice in one step.");
    exchange.wait();
    EXPECT_EQ(ring.in + ring.sum_of_all, 3);
    EXPECT_EQ(error_of([&] { exchange.wait(); }), "wait() comes before start().");
    EXPECT_EQ(error_of([&] { exchange.ready(ring.sent); }),
              "client 'ring', key 5 to rank " + peer + " is marked ready before start().");
  });
}

TEST(misuse, waiting_for_what_is_not_ready) {
  on(2_ranks, [](Transport& world) {
    Ring ring(world);
    auto& exchange = ring.exchange;
    exchange.commit();
    exchange.start();
    EXPECT_EQ(error_of([&] { exchange.wait(); }),
              "client 'ring', key 5 to rank " + std::to_string(1 - world.rank()) +
                  " was not marked ready in round 0 (the wait would never end). call ready() before wait().");
    exchange.ready(ring.sent);
    EXPECT_THAT(error_of([&] { exchange.wait(); }), HasSubstr("client 'ring', all_reduce 0 was not marked ready"));
    exchange.ready(ring.reduced);
    exchange.wait();  // the errors did no harm
    EXPECT_EQ(ring.in + ring.sum_of_all, 3);
  });
}

TEST(misuse, rounds_out_of_turn) {
  on(2_ranks, [](Transport& world) {
    Exchange exchange(world);
    auto& client = exchange.client("rounds");
    client.barrier(0);
    client.barrier(1);
    exchange.commit();
    exchange.start();
    exchange.ready_all(0, 0);
    EXPECT_EQ(error_of([&] { exchange.wait(1); }), "round 1 is waited for out of turn (round 0 is next).");
    exchange.wait(0);
    EXPECT_EQ(error_of([&] { exchange.wait(0); }), "round 0 is waited for out of turn (round 1 is next).");
    exchange.ready_all(0, 1);
    exchange.wait(1);
  });
}

TEST(misuse, registration) {
  on(1_ranks, [](Transport& world) {
    Exchange exchange(world);
    auto& client = exchange.client("wrong");
    const int constant = 1;
    EXPECT_EQ(error_of([&] { client.receive(0, 3, contiguous(std::span(&constant, 1))); }),
              "client 'wrong', key 3 receives into constant memory.");
    EXPECT_EQ(error_of([&] { client.barrier(-1); }), "client 'wrong' asks for round -1. rounds start at 0.");
    EXPECT_EQ(error_of([&] { exchange.client("wrong"); }), "two clients are called 'wrong'. give each its own name.");
    exchange.commit();
    exchange.start();
    EXPECT_THAT(error_of([&] { exchange.ready({1, 0}); }), HasSubstr("a part that this exchange does not have"));
    EXPECT_THAT(error_of([&] { exchange.ready({0, 0}); }), HasSubstr("a part that this exchange does not have"));
    exchange.wait();
  });
}

TEST(misuse, a_started_exchange_is_finished_when_it_goes) {
  on({2, 3}, [](Transport& world) {
    Ring ring(world);
    ring.exchange.commit();
    ring.exchange.start();
    ring.exchange.ready(ring.sent);
  });
}

TEST(misuse, an_exchange_may_go_uncommitted_or_unstarted) {
  on(2_ranks, [](Transport& world) {
    Ring never(world), committed(world);
    committed.exchange.commit();
  });
}

TEST(misuse, an_exchange_that_goes_while_another_rank_fails_says_nothing) {
  EXPECT_EQ(error_of([] {
              run_in_process(2, [](Transport& world) {
                Ring ring(world);
                ring.exchange.commit();
                ring.exchange.start();
                if (world.rank() == 1) throw Error("rank 1 is lost.");
                ring.exchange.ready(ring.sent);  // and its destructor waits in vain
              });
            }),
            "rank 1 is lost.");
}

}  // namespace
}  // namespace weft
