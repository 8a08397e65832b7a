// SPDX-License-Identifier: BSD-3-Clause
//
// The in-process transport, on which all other tests depend: waits, wakes and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "tests/support/core_ranks.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

template <class T>
std::span<const std::byte> read(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
std::span<std::byte> write(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

void finish(Operation& operation) {
  while (!operation.test()) std::this_thread::yield();
}

TEST(InProcess, knows_its_ranks) {
  std::atomic<int> seen{0};
  run_in_process(4, [&](Transport& world) {
    EXPECT_EQ(world.size(), 4);
    EXPECT_TRUE(world.thread_multiple());
    EXPECT_STREQ(world.library(), "in-process");
    seen += 1 << world.rank();
  });
  EXPECT_EQ(seen, 15);
}

TEST(InProcess, messages_of_one_tag_keep_their_order_and_duplicates_are_apart) {
  on(2_ranks, [](Transport& world) {
    const auto other = world.duplicate();
    int first = 1, second = 2, elsewhere = 3;
    if (world.rank() == 0) {
      auto a = world.send(read(first), 1, 0), b = world.send(read(second), 1, 0),
           c = other->send(read(elsewhere), 1, 0);
      a->start(), b->start(), c->start();
      finish(*a), finish(*b), finish(*c);
    } else {
      int x = 0, y = 0, z = 0;
      auto c = other->receive(write(z), 0, 0), a = world.receive(write(x), 0, 0), b = world.receive(write(y), 0, 0);
      for (auto* each : {&c, &a, &b}) {
        (*each)->start();
        finish(**each);
      }
      EXPECT_EQ(x, 1);
      EXPECT_EQ(y, 2);
      EXPECT_EQ(z, 3);
    }
  });
}

TEST(InProcess, the_test_chooses_the_order_of_completion) {
  // A message with tag t arrives after 10 (3 - t) tests: the first one sent arrives last.
  const InProcessOptions options{.delay = [](int source, int, int tag) { return source == 0 ? 10 * (3 - tag) : 0; }};
  run_in_process(
      2,
      [](Transport& world) {
        std::vector<int> values{0, 1, 2}, arrived;
        std::vector<std::unique_ptr<Operation>> operations;
        for (int t = 0; t < 3; ++t) {
          auto& value = values[static_cast<std::size_t>(t)];
          operations.push_back(world.rank() == 0 ? world.send(read(value), 1, t) : world.receive(write(value), 0, t));
        }
        if (world.rank() == 0)
          for (auto& operation : operations) operation->start();
        barrier(world);
        if (world.rank() == 0) return;
        for (auto& operation : operations) operation->start();
        std::vector<bool> done(3, false);
        while (arrived.size() < 3)
          for (int t = 0; t < 3; ++t)
            if (!done[static_cast<std::size_t>(t)] && operations[static_cast<std::size_t>(t)]->test()) {
              done[static_cast<std::size_t>(t)] = true;
              arrived.push_back(t);
            }
        EXPECT_EQ(arrived, (std::vector<int>{2, 1, 0}));
      },
      options);
}

TEST(InProcess, a_synchronous_send_waits_for_its_receiver) {
  run_in_process(2,
                 [](Transport& world) {
                   int value = 7;
                   if (world.rank() == 0) {
                     auto send = world.send(read(value), 1, 0);
                     send->start();
                     for (int i = 0; i < 10; ++i) EXPECT_FALSE(send->test());
                     barrier(world);
                     finish(*send);
                   } else {
                     barrier(world);
                     auto receive = world.receive(write(value), 0, 0);
                     complete(*receive);
                   }
                 },
                 {.synchronous = true});
}

TEST(InProcess, a_failing_rank_wakes_the_others) {
  for (const bool in_collective : {true, false}) {
    std::atomic<int> woken{0};
    EXPECT_EQ(error_of([&] {
                run_in_process(4, [&](Transport& world) {
                  if (world.rank() == 2) throw InputError("rank 2 is lost.");
                  try {
                    int value = 0;
                    if (in_collective)
                      barrier(world);
                    else
                      complete(*world.receive(write(value), 2, 0));
                  } catch (const Error& e) {
                    EXPECT_STREQ(e.what(), "Another rank has failed. See its error message.");
                    ++woken;
                    throw;
                  }
                });
              }),
              "rank 2 is lost.");
    EXPECT_EQ(woken, 3);
  }
}

TEST(InProcess, collectives_that_differ_are_an_error) {
  EXPECT_THAT(error_of([] {
                run_in_process(3, [](Transport& world) {
                  if (world.rank() == 1)
                    all_reduce(world, 1, sum<int>());
                  else
                    barrier(world);
                });
              }),
              HasSubstr("Ranks disagree on a collective"));
  EXPECT_THAT(error_of([] {
                run_in_process(2, [](Transport& world) {
                  if (world.rank() == 1)
                    all_reduce(world, std::int64_t{1}, sum<std::int64_t>());
                  else
                    all_reduce(world, 1, sum<int>());
                });
              }),
              HasSubstr("Ranks disagree on the size of a collective (all_reduce of 4 bytes on rank 0, 8 on rank 1)"));
}

TEST(InProcess, collectives_that_differ_are_an_error_on_every_rank) {
  run_in_process(3, [](Transport& world) {
    if (world.rank() == 1)
      EXPECT_THROW(all_reduce(world, 1, sum<int>()), Error);
    else
      EXPECT_THROW(barrier(world), Error);
  });
}

TEST(InProcess, a_message_that_is_too_long_is_an_error) {
  EXPECT_THAT(error_of([] {
                run_in_process(2, [](Transport& world) {
                  std::int64_t value = 0;
                  int short_value = 0;
                  if (world.rank() == 0)
                    complete(*world.send(read(value), 1, 0));
                  else
                    complete(*world.receive(write(short_value), 0, 0));
                });
              }),
              HasSubstr("A message is truncated: 8 bytes from rank 0 for a receive of 4"));
}

TEST(Together, every_rank_throws_the_error_of_the_lowest) {
  on(any_ranks, [](Transport& world) {
    const int last = world.size() - 1;
    try {
      together(world, [&] {
        if (world.rank() >= last) throw InputError("rank " + std::to_string(world.rank()) + " is unhappy.");
      });
      ADD_FAILURE() << "no error";
    } catch (const InputError& e) {
      EXPECT_EQ(e.what(), "rank " + std::to_string(last) + " is unhappy.");
      EXPECT_TRUE(e.everywhere());
    }
    EXPECT_EQ(error_of([&] { on_root(world, [] { throw std::runtime_error("no memory"); }); }), "no memory");
    together(world, [] {});
  });
}

}  // namespace
}  // namespace weft
