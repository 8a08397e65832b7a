// SPDX-License-Identifier: BSD-3-Clause
//
// Parts in memory that the ranks of a node share: copied once, by the receiver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

// Of an array of 40 x 30 in shared memory: rows, a column and single elements. Of another array in private memory: a
// row.
struct Seen {
  Seen(Transport& w, const MessageOptions& options)
      : world(w), memory(w.share(1200 * sizeof(int))), hidden(30),
        exchange(w, {.messages = options, .memory = memory}) {
    array = reinterpret_cast<int*>(memory->at(w.rank()));
    auto& client = exchange.client("seen");
    const int to = (w.rank() + 1) % w.size(), from = (w.rank() + w.size() - 1) % w.size();
    for (std::size_t k = 0; k < regions(array).size(); ++k) client.send(to, k, regions(array)[k]);
    client.send(to, 9, contiguous(std::span<const int>(hidden)));
    in.resize(2400);
    row.resize(30);
    for (std::size_t k = 0; k < regions(in.data()).size(); ++k) client.receive(from, k, targets(in.data())[k]);
    client.receive(from, 9, contiguous(std::span<int>(row)));
    exchange.commit();
  }
  static std::vector<Region> regions(int* a) {
    return {box(a, {40, 30}, {3, 0}, {4, 30}), box(a, {40, 30}, {0, 5}, {40, 2}), indexed(a, {1199, 1000, 7}),
            strided(a + 300, {{2, 400 * sizeof(int)}, {100, sizeof(int)}})};
  }
  // The same regions, or others: columns for rows, and runs of other lengths.
  static std::vector<Region> targets(int* a) {
    return {box(a, {40, 30}, {0, 0}, {40, 3}), box(a, {40, 30}, {0, 5}, {40, 2}),
            contiguous(std::span<int>(a + 1100, 3)), strided(a + 1200, {{4, 150 * sizeof(int)}, {50, sizeof(int)}})};
  }
  int value(int start, int i) const {
    return 10000 * ((world.rank() + world.size() - 1) % world.size()) + 2000 * start + i;
  }
  void run(int start) {
    for (int i = 0; i < 1200; ++i) array[i] = 10000 * world.rank() + 2000 * start + i;
    for (int i = 0; i < 30; ++i) hidden[static_cast<std::size_t>(i)] = 10000 * world.rank() - i;
    std::vector<int> expected(2400, -1);
    in = expected;
    auto messages = exchange.start();
    messages.ready_all(0, 0);
    messages.accept_all(0, 0);
    messages.wait();
    // The expected content of this rank's array, computed with packed copies.
    std::vector<int> sent(1200);
    for (int i = 0; i < 1200; ++i) sent[static_cast<std::size_t>(i)] = value(start, i);
    for (std::size_t k = 0; k < regions(sent.data()).size(); ++k) {
      std::vector<std::byte> packed(regions(sent.data())[k].bytes());
      regions(sent.data())[k].pack(packed.data());
      targets(expected.data())[k].unpack(packed.data());
    }
    EXPECT_EQ(in, expected);
    EXPECT_EQ(row[29], 10000 * ((world.rank() + world.size() - 1) % world.size()) - 29);
  }
  Transport& world;
  std::shared_ptr<SharedMemory> memory;
  std::vector<int> hidden, in, row;
  Exchange exchange;
  int* array = nullptr;
};

TEST(SeenMemory, is_taken_from_where_it_lies) {
  on(any_ranks, [](Transport& world) {
    for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
      for (const bool shared : {true, false})
        for (const bool deferred : {false, true})
          for (const auto carrier : carriers_of(world)) {
            SCOPED_TRACE(std::string(name_of(carrier)) + ", " + name_of(grouping) + (deferred ? ", held" : ""));
            Seen seen(world,
                      {.grouping = grouping, .carrier = carrier, .shared_memory = shared, .defer_unpacking = deferred});
            for (int start = 0; start < 3; ++start) seen.run(start);
          }
  });
}

// The receiver reads the sender's memory and then sends an acknowledgement; the sender's wait ends with it.
TEST(SeenMemory, is_the_sender_s_again_when_its_wait_returns) {
  on({2, 2}, [](Transport& world) {
    const std::shared_ptr<SharedMemory> memory = world.share(sizeof(int));
    auto* out = reinterpret_cast<int*>(memory->at(world.rank()));
    int in = -1;
    Exchange exchange(world, {.messages = {.shared_memory = true, .defer_unpacking = true}, .memory = memory});
    auto& client = exchange.client("one");
    const int other = 1 - world.rank();
    client.send(other, 1, contiguous(std::span<const int>(out, 1)));
    const auto got = client.receive(other, 1, contiguous(std::span<int>(&in, 1)));
    exchange.commit();
    for (int start = 0; start < 200; ++start) {
      *out = 10 * start + world.rank();
      auto messages = exchange.start();
      messages.ready_all(0, 0);
      messages.accept(got);
      messages.wait();
      *out = -7;  // immediately after the wait
      ASSERT_EQ(in, 10 * start + other);
    }
  });
}

TEST(SeenMemory, is_an_option_of_all_ranks) {
  on({2, 2}, [](Transport& world) {
    const std::shared_ptr<SharedMemory> memory = world.share(8);
    Exchange exchange(world, {.messages = {.shared_memory = true}, .memory = world.rank() == 0 ? memory : nullptr});
    EXPECT_THAT(error_of([&] { exchange.commit(); }), HasSubstr("differ in their option 'memory'"));
  });
}

// Memory of a transport with other ranks is refused on all ranks, even if only one rank gives it.
TEST(SeenMemory, is_of_the_same_ranks) {
  struct Foreign final : SharedMemory {
    std::byte* at(int) const override { return nullptr; }
    std::size_t bytes() const override { return 0; }
  };
  on(any_ranks, [](Transport& world) {
    const auto commit = [](Transport& transport, const std::shared_ptr<SharedMemory>& memory) {
      Exchange exchange(transport, {.messages = {.shared_memory = true}, .memory = memory});
      return error_of([&] { exchange.commit(); });
    };
    const auto duplicate = world.duplicate();
    const std::shared_ptr<SharedMemory> good = world.share(8), of_duplicate = duplicate->share(8),
                                        foreign = std::make_shared<Foreign>();
    EXPECT_EQ(commit(world, good), "no error");
    EXPECT_EQ(commit(*duplicate, good), "no error");
    EXPECT_EQ(commit(world, of_duplicate), "no error");
    EXPECT_THAT(commit(world, world.rank() == 0 ? foreign : good),
                HasSubstr("The memory of an exchange was shared by other ranks"));
  });
}

}  // namespace
}  // namespace weft
