// SPDX-License-Identifier: BSD-3-Clause
//
// The send and receive threads: queues of ready and accepted parts; over any transport.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/inside/fifo.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;
using Kind = ProgressOptions::Kind;

TEST(Engine, a_fifo_keeps_the_order_between_two_threads) {
  inside::Fifo<int> fifo;
  fifo.reserve(100);
  std::atomic<int> taken{0};
  std::jthread consumer([&] {
    for (int value = 0; taken < 20000;)
      if (fifo.pop(value)) {
        EXPECT_EQ(value, taken);
        ++taken;
      } else {
        std::this_thread::yield();
      }
  });
  for (int value = 0; value < 20000; ++value) {
    while (value - taken >= 100) std::this_thread::yield();
    fifo.push(value);
  }
}

// A ring of the blocks of all ranks. Each block sends its number to both neighbours and is then computed from theirs,
// some of which are on this rank. Ghosts may be overwritten only after the block has read them.
class Blocks {
 public:
  Blocks(Transport& world, const ExchangeOptions& options, int blocks, std::uint64_t seed)
      : rank_(world.rank()), n_(blocks), all_(blocks * world.size()),
        random_(hash({seed, static_cast<std::uint64_t>(rank_)})), exchange_(world, options) {
    auto& client = exchange_.client("blocks");
    blocks_.resize(static_cast<std::size_t>(n_));
    for (int b = 0; b < n_; ++b) {
      auto& block = blocks_[static_cast<std::size_t>(b)];
      const int me = rank_ * n_ + b;
      block.value.assign(1 + static_cast<std::size_t>(me % 7), first(me));
      for (const int side : {0, 1}) {
        const auto s = static_cast<std::size_t>(side);
        const int other = (me + (side == 0 ? all_ - 1 : 1)) % all_;
        block.ghost[s].assign(1 + static_cast<std::size_t>(other % 7), first(other));
        // The message that I send to the left is the right ghost of that block.
        block.sent[s] =
            client.send(other / n_, static_cast<Key>(2 * other + 1 - side), contiguous(std::span(block.value)));
        block.received[s] =
            client.receive(other / n_, static_cast<Key>(2 * me + side), contiguous(std::span(block.ghost[s])));
      }
    }
    exchange_.commit();
  }

  void step(int number) {
    std::vector<std::size_t> order;
    for (std::size_t b = 0; b < blocks_.size(); ++b) order.push_back(b);
    random_.shuffle(order);
    auto messages = exchange_.start();
    for (const auto b : order) {
      auto& block = blocks_[b];
      const auto value = mix(block.value.front() + 3 * block.ghost[0].front() + 5 * block.ghost[1].back());
      if (exchange_.defers_unpacking()) {
        for (const auto part : block.received) messages.accept(part);
      }
      std::fill(block.value.begin(), block.value.end(), value);
      for (const auto part : block.sent) messages.ready(part);
      if (random_.chance(3)) messages.progress();
      if (random_.chance(8)) std::this_thread::yield();
    }
    messages.wait();
    compute_reference();
    for (int b = 0; b < n_; ++b) {
      const auto& block = blocks_[static_cast<std::size_t>(b)];
      const int me = rank_ * n_ + b;
      ASSERT_EQ(block.value.front(), reference(me)) << "block " << me << ", step " << number;
      ASSERT_EQ(block.ghost[0].front(), reference(me + all_ - 1)) << "left of block " << me << ", step " << number;
      ASSERT_EQ(block.ghost[1].back(), reference(me + 1)) << "right of block " << me << ", step " << number;
    }
  }

 private:
  struct Block {
    std::vector<std::uint64_t> value;
    std::vector<std::uint64_t> ghost[2];
    SendPart sent[2];
    ReceivePart received[2];
  };
  static std::uint64_t first(int block) { return mix(static_cast<std::uint64_t>(block)); }
  std::uint64_t reference(int block) const { return reference_[static_cast<std::size_t>(block % all_)]; }
  void compute_reference() {
    if (reference_.empty())
      for (int b = 0; b < all_; ++b) reference_.push_back(first(b));
    const auto old = reference_;
    const auto at = [&](int block) { return old[static_cast<std::size_t>(block % all_)]; };
    for (int b = 0; b < all_; ++b)
      reference_[static_cast<std::size_t>(b)] = mix(at(b) + 3 * at(b + all_ - 1) + 5 * at(b + 1));
  }

  int rank_, n_, all_;
  Random random_;
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> reference_;
  Exchange exchange_;
};

// Without deferred unpacking a ghost could be overwritten before its block has read it, so all parts use it.
TEST(Engine, many_small_steps_are_those_of_the_reference) {
  on(any_ranks, [](Transport& world) {
    std::uint64_t seed = 1;
    for (const auto kind : {Kind::passive, Kind::polling, Kind::thread, Kind::send_receive_threads})
      for (const int threads : {1, 2}) {
        if (threads == 1 && kind != Kind::send_receive_threads) continue;
        const auto progress =
            std::make_shared<Progress>(world, ProgressOptions{.kind = kind, .interval_seconds = 0, .threads = threads});
        for (const auto carrier : carriers_of(world))
          for (const auto grouping : {Grouping::per_peer, Grouping::per_part, Grouping::by_size}) {
            SCOPED_TRACE(std::string(name_of(kind)) + ", " + name_of(carrier) + ", " + name_of(grouping));
            const int blocks = 1 + static_cast<int>(++seed % 6);
            Blocks all(world,
                       {.messages = {.grouping = grouping,
                                     .by_size_bytes = 64,
                                     .carrier = carrier,
                                     .shared_memory = seed % 5 == 0,
                                     .defer_unpacking = true},
                        .progress = progress},
                       blocks, seed);
            for (int step = 0; step < 20; ++step) all.step(step);
          }
      }
  });
}

// A message to the rank itself is copied by the thread that takes it from the queue. The computing thread reads it
// without a wait.
TEST(Engine, a_thread_copies_what_a_rank_sends_to_itself) {
  on({1, 2}, [](Transport& world) {
    for (const auto kind : {Kind::thread, Kind::send_receive_threads})
      for (const bool deferred : {false, true}) {
        if (!world.thread_multiple()) continue;
        std::vector<int> out(2000), in(2000);
        Exchange exchange(world, {.messages = {.defer_unpacking = deferred},
                                  .progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind})});
        auto& client = exchange.client("self");
        const auto sent = client.send(world.rank(), 1, contiguous(std::span(out)));
        const auto received = client.receive(world.rank(), 1, contiguous(std::span(in)));
        exchange.commit();
        for (int step = 1; step < 100; ++step) {
          std::fill(out.begin(), out.end(), step);
          auto messages = exchange.start();
          messages.ready(sent);
          if (deferred) messages.accept(received);
          while (!messages.arrived(received)) std::this_thread::yield();
          EXPECT_EQ(in.front() + in.back(), 2 * step);  // the thread sanitizer checks this access
          messages.wait();
        }
      }
  });
}

TEST(Engine, the_time_of_progress_threads_is_written_down) {
  on({2, 4}, [](Transport& world) {
    Timeline timeline;
    const auto progress = std::make_shared<Progress>(world, ProgressOptions{.kind = Kind::send_receive_threads});
    Blocks all(world, {.messages = {.defer_unpacking = true}, .progress = progress, .timeline = &timeline}, 5, 1);
    for (int step = 0; step < 50; ++step) all.step(step);
    const auto track = timeline.track("blocks");
    EXPECT_GT(timeline.total_seconds(track, Activity::pack), 0);
    EXPECT_GT(timeline.total_seconds(track, Activity::unpack), 0);
    EXPECT_GT(timeline.total_seconds(track, Activity::in_flight), 0);
  });
}

TEST(Engine, misuse_of_accept) {
  on(1_ranks, [](Transport& world) {
    int out = 7, in = 0;
    Exchange exchange(world, {.messages = {.defer_unpacking = true}}), plain(world);
    SendPart sent;
    ReceivePart received;
    for (auto* e : {&plain, &exchange}) {
      auto& client = e->client("self");
      sent = client.send(0, 1, contiguous(std::span(&out, 1)));
      received = client.receive(0, 1, contiguous(std::span(&in, 1)));
      e->commit();
    }
    const std::string name = "Client 'self', key 1 ";
    auto messages = exchange.start();
    messages.ready(sent);
    EXPECT_EQ(error_of([&] { messages.accept(ReceivePart{sent}); }),
              name + "to rank 0 is not a receive. Accept only receives.");
    EXPECT_THAT(error_of([&] { messages.wait(); }),
                HasSubstr("was not accepted in round 0 (the wait would never end)."));
    EXPECT_EQ(in, 0);
    messages.accept(received);
    EXPECT_EQ(error_of([&] { messages.accept(received); }),
              name + "from rank 0 is accepted twice in one step. Call accept() once per start.");
    messages.wait();
    EXPECT_EQ(in, 7);
    auto others = plain.start();
    EXPECT_THAT(error_of([&] { others.accept(received); }), HasSubstr("Set the option defer_unpacking."));
    EXPECT_THAT(exchange.describe(), HasSubstr(", grouped per_peer, unpacked when accepted\n"));
  });
}

TEST(Engine, wrong_numbers_of_threads_are_an_error) {
  on(1_ranks, [](Transport& world) {
    EXPECT_THAT(error_of([&] { Progress(world, {.kind = Kind::send_receive_threads, .threads = 3}); }),
                HasSubstr("3 progress threads. Use 1 or 2."));
    EXPECT_THAT(error_of([&] { Progress(world, {.kind = Kind::thread, .pin = {-1}}); }),
                HasSubstr("can't be pinned to core -1."));
  });
}

}  // namespace
}  // namespace weft
