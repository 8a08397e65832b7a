// SPDX-License-Identifier: BSD-3-Clause
//
// The result does not depend on the carrier, with any transport. (The random programs also run with each carrier.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/progress/progress.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A transport that only has messages.
class Plain final : public Transport {
 public:
  explicit Plain(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  bool thread_multiple() const override { return inner_->thread_multiple(); }
  std::size_t eager_limit_bytes() const override { return inner_->eager_limit_bytes(); }
  std::size_t piece_bytes() const override { return inner_->piece_bytes(); }
  const char* library() const override { return "plain"; }
  std::unique_ptr<Transport> duplicate() const override { return std::make_unique<Plain>(inner_->duplicate()); }
  bool has(Ability) const override { return false; }
  std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag, SendMode mode) override {
    return inner_->send(data, peer, tag, mode);
  }
  std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) override {
    return inner_->receive(data, peer, tag);
  }
  std::unique_ptr<Operation> collective(const Collective& what) override { return inner_->collective(what); }
  bool shares_memory_with(int) const override { return false; }
  std::unique_ptr<SharedMemory> share(std::size_t) override { throw Error("nothing is shared."); }

 private:
  std::unique_ptr<Transport> inner_;
};

TEST(Carriers, one_that_the_transport_has_not_is_refused) {
  on(any_ranks, [](Transport& world) {
    Plain plain(world.duplicate());
    EXPECT_EQ(carriers_of(plain), std::vector{Carrier::messages});
    for (const auto carrier : carriers_of(world)) {
      Exchange exchange(plain, {.messages = {.carrier = carrier}});
      if (carrier == Carrier::messages)
        exchange.commit();
      else
        EXPECT_THAT(error_of([&] { exchange.commit(); }),
                    AllOf(HasSubstr(std::string("The carrier '") + name_of(carrier) + "' needs "),
                          HasSubstr(", which this transport (plain) does not have. Use one of: messages.")));
    }
    EXPECT_THAT(error_of([&] { plain.send_regions({}, 0, 0); }),
                HasSubstr("This transport (plain) has no derived datatypes."));
    EXPECT_THAT(error_of([&] { plain.send_partitions({}, 1, 0, 0); }), HasSubstr("has no partitioned messages."));
  });
}

// Twelve elements of an array of 100, as every kind of region, and their indices in the order of packing.
struct Form {
  std::vector<std::size_t> index;
  std::function<Region(int*)> region;
};

std::vector<Form> all_forms() {
  std::vector<Form> forms(5);
  for (std::size_t i = 0; i < 12; ++i) forms[0].index.push_back(5 + i);
  forms[0].region = [](int* array) { return contiguous(std::span(array + 5, 12)); };
  for (const std::size_t i : {1u, 2u})
    for (const std::size_t j : {2u, 4u})
      for (const std::size_t k : {1u, 2u, 3u}) forms[1].index.push_back(25 * i + 5 * j + k);
  forms[1].region = [](int* array) { return strided(array + 36, {{2, 100}, {2, 40}, {3, 4}}); };
  forms[2].index = {99, 3, 50, 4, 5, 0, 7, 98, 61, 62, 63, 20};
  forms[2].region = [index = forms[2].index](int* array) { return indexed(array, index); };
  static constexpr std::size_t offsets[] = {176, 0, 352};
  static constexpr Loop loops[] = {{4, 12}};
  for (const auto offset : offsets)
    for (std::size_t i = 0; i < 4; ++i) forms[3].index.push_back(offset / 4 + 3 * i);
  forms[3].region = [](int* array) { return make_strided(detail::bytes_at(array), 4, loops, true, offsets, false); };
  for (std::size_t i = 0; i < 4; ++i)
    for (const auto offset : offsets) forms[4].index.push_back(offset / 4 + 3 * i);
  forms[4].region = [](int* array) { return make_strided(detail::bytes_at(array), 4, loops, true, offsets, true); };
  return forms;
}

// Each kind is sent to the next kind; several messages, and one of several parts, to a neighbour or to the rank itself.
TEST(Carriers, touch_nothing_between_the_runs) {
  on(any_ranks, [](Transport& world) {
    const auto forms = all_forms();
    const auto n = forms.size();
    const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    const auto value = [&](int rank, std::size_t form, std::size_t i, int step) {
      return 100000 * step + 10000 * rank + 100 * static_cast<int>(form) + static_cast<int>(i);
    };
    for (const auto carrier : carriers_of(world))
      for (const auto grouping : {Grouping::per_peer, Grouping::per_part}) {
        SCOPED_TRACE(std::string(name_of(carrier)) + (grouping == Grouping::per_part ? ", per part" : ", per peer"));
        std::vector<std::vector<int>> out(n, std::vector<int>(100, -1)), in(n, std::vector<int>(100, -2));
        Exchange exchange(world, {.messages = {.grouping = grouping, .packed_limit_bytes = 1000, .carrier = carrier}});
        auto& client = exchange.client("forms");
        for (std::size_t f = 0; f < n; ++f) {
          client.send(right, f, forms[f].region(out[f].data()));
          client.receive(left, f, forms[(f + 1) % n].region(in[f].data()));
        }
        exchange.commit();
        EXPECT_THAT(exchange.describe(), HasSubstr(std::string(", carried as ") + name_of(carrier)));
        for (int step = 1; step < 4; ++step) {
          for (std::size_t f = 0; f < n; ++f)
            for (std::size_t i = 0; i < 12; ++i) out[f][forms[f].index[i]] = value(world.rank(), f, i, step);
          auto messages = exchange.start();
          messages.ready_all(0, 0);
          messages.wait();
          for (std::size_t f = 0; f < n; ++f) {
            std::vector<int> expected(100, -2);
            for (std::size_t i = 0; i < 12; ++i) expected[forms[(f + 1) % n].index[i]] = value(left, f, i, step);
            EXPECT_EQ(in[f], expected) << "form " << f << ", step " << step;
          }
        }
      }
  });
}

// Rank 0 marks the second of two parts only after the first one has been unpacked on rank 1. A packed message could not
// do this.
TEST(Carriers, partitions_leave_and_are_unpacked_one_by_one) {
  std::atomic<bool> first_is_there{false};
  run_in_process(2, [&](Transport& world) {
    std::array<int, 8> memory{};
    Exchange exchange(world,
                      {.messages = {.packed_limit_bytes = 1000, .carrier = Carrier::partitioned},
                       .progress = std::make_shared<Progress>(
                           world, ProgressOptions{.kind = ProgressOptions::Kind::polling, .interval_seconds = 0})});
    auto& client = exchange.client("pair");
    const auto half = [&](std::size_t i) { return contiguous(std::span(memory).subspan(4 * i, 4)); };
    std::vector<SendPart> parts;
    for (const std::size_t i : {0u, 1u})
      if (world.rank() == 0)
        parts.push_back(client.send(1, i, half(i)));
      else
        client.receive(0, i, half(i));
    exchange.commit();
    EXPECT_EQ(exchange.plan().messages.size(), 1u);
    EXPECT_EQ(exchange.plan().messages.front().pieces, 2);
    auto messages = exchange.start();
    if (world.rank() == 0) {
      memory = {1, 2, 3, 4, 5, 6, 7, 8};
      messages.ready(parts[0]);
      while (!first_is_there) std::this_thread::yield();
      messages.ready(parts[1]);
    } else {
      while (memory[3] != 4) messages.progress();
      EXPECT_EQ(memory, (std::array<int, 8>{1, 2, 3, 4, 0, 0, 0, 0}));
      first_is_there = true;
    }
    messages.wait();
    EXPECT_EQ(memory, (std::array<int, 8>{1, 2, 3, 4, 5, 6, 7, 8}));
  });
}

// Ranks with different rounds and neighbours: 0 sends to 1 in round 0, 2 to 1 in round 1, 3 has nothing.
TEST(Carriers, ranks_may_have_few_neighbours_or_none) {
  on({3, 4}, [](Transport& world) {
    for (const auto carrier : carriers_of(world)) {
      SCOPED_TRACE(name_of(carrier));
      int a = -1, b = -1;
      const auto one = [](int& value) { return contiguous(std::span(&value, 1)); };
      Exchange exchange(world, {.messages = {.carrier = carrier}});
      auto& client = exchange.client("few");
      if (world.rank() == 0) client.send(1, 1, one(a));
      if (world.rank() == 1) client.receive(0, 1, one(a)), client.receive(2, 2, one(b), 1);
      if (world.rank() == 2) client.send(1, 2, one(b), 1);
      exchange.commit();
      for (int step = 0; step < 3; ++step) {
        if (world.rank() == 0) a = step;
        if (world.rank() == 2) b = 10 + step;
        auto messages = exchange.start();
        for (int round = 0; round < exchange.plan().rounds; ++round) {
          messages.ready_all(0, round);
          messages.wait(round);
        }
        if (world.rank() != 1) continue;
        EXPECT_EQ(a, step);
        EXPECT_EQ(b, 10 + step);
      }
    }
  });
}

}  // namespace
}  // namespace weft
