// SPDX-License-Identifier: BSD-3-Clause
//
// Parts whose memory is set before each start, and parts of up to n bytes: the same result with every carrier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "tests/support/watched_transport.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/step/step_manager.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;

int before_me(const Transport& world) { return (world.rank() + world.size() - 1) % world.size(); }
int behind_me(const Transport& world) { return (world.rank() + 1) % world.size(); }

// All kinds of messages, with small and large pieces.
void for_each_way(Transport& world, const std::function<void(const ExchangeOptions&)>& body) {
  using K = ProgressOptions::Kind;
  for (const auto carrier : carriers_of(world))
    for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
      for (const bool deferred : {false, true})
        for (const bool shared : {false, true})
          for (const auto kind : {K::passive, K::thread, K::send_receive_threads}) {
            if (kind != K::passive && (!world.thread_multiple() || grouping == Grouping::per_part)) continue;
            for (const std::size_t piece : {0U, 64U}) {
              SCOPED_TRACE(std::string(name_of(carrier)) + ", " + name_of(grouping) + (deferred ? ", held" : "") +
                           (shared ? ", shared, " : ", ") + name_of(kind) + ", pieces of " + std::to_string(piece));
              body({.messages = {.grouping = grouping,
                                 .piece_bytes = piece,
                                 .carrier = carrier,
                                 .shared_memory = shared,
                                 .defer_unpacking = deferred},
                    .progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind})});
            }
          }
}

int value(int rank, int start, int i) { return 10000 * rank + 100 * start + i; }

// A row and a column are sent from an array that differs in each start, and received in a third one, together with a
// part with fixed memory. To the right, and to this rank itself.
struct Wandering {
  Wandering(Transport& w, const ExchangeOptions& options) : world(w), exchange(w, options) {
    auto& client = exchange.client("wandering");
    for (const Key own : {0, 10})
      for (const Key key : {1, 2}) {
        sends.push_back(client.send(own > 0 ? world.rank() : behind_me(world), own + key, given(bytes_of(key))));
        receives.push_back(client.receive(own > 0 ? world.rank() : before_me(world), own + key, given(bytes_of(key))));
      }
    client.send(behind_me(world), 5, contiguous(std::span(&fixed_out, 1)));
    client.receive(before_me(world), 5, contiguous(std::span(&fixed_in, 1)));
    exchange.commit();
  }
  static std::size_t bytes_of(Key key) { return (key == 1 ? 30 : 20) * sizeof(int); }
  static Region row(int* array) { return contiguous(std::span(array, 30)); }
  static Region column(int* array) { return box(array, {20, 40}, {0, 7}, {20, 1}); }

  void run(int start) {
    auto out = std::make_unique<std::array<int, 800>>(), in = std::make_unique<std::array<int, 800>>(),
         own = std::make_unique<std::array<int, 800>>();
    for (int i = 0; i < 800; ++i) (*out)[static_cast<std::size_t>(i)] = value(world.rank(), start, i % 97);
    exchange.rebind(sends[0], row(out->data()));
    exchange.rebind(sends[1], column(out->data()));
    exchange.rebind(sends[2], row(out->data()));
    exchange.rebind(sends[3], column(out->data()));
    exchange.rebind(receives[0], row(in->data()));
    exchange.rebind(receives[1], column(in->data()));
    exchange.rebind(receives[2], column_of_row(own->data()));
    exchange.rebind(receives[3], column(own->data()));
    fixed_out = start;
    auto messages = exchange.start();
    messages.ready_all(0, 0);
    messages.accept_all(0, 0);
    messages.wait();
    for (std::size_t i = 0; i < 30; ++i)
      ASSERT_EQ((*in)[i],
                i == 7 ? value(before_me(world), start, 7) : value(before_me(world), start, static_cast<int>(i)));
    for (int i = 0; i < 20; ++i) {
      const auto at = static_cast<std::size_t>(40 * i + 7);
      ASSERT_EQ((*in)[at], value(before_me(world), start, (40 * i + 7) % 97));
      ASSERT_EQ((*own)[at], value(world.rank(), start, (40 * i + 7) % 97));
    }
    for (int i = 0; i < 30; ++i)
      ASSERT_EQ((*own)[static_cast<std::size_t>(400 + 2 * i)], value(world.rank(), start, i));
    ASSERT_EQ(fixed_in, start);
  }
  // Thirty numbers with stride 2.
  static Region column_of_row(int* array) { return strided(array + 400, {{30, 2 * sizeof(int)}}); }

  Transport& world;
  Exchange exchange;
  std::vector<SendPart> sends;
  std::vector<ReceivePart> receives;
  int fixed_out = 0, fixed_in = -1;
};

TEST(Given, a_part_lies_where_the_last_rebind_said) {
  on(any_ranks, [](Transport& world) {
    for_each_way(world, [&](const ExchangeOptions& options) {
      Wandering wandering(world, options);
      for (int start = 0; start < 4; ++start) wandering.run(start);
    });
  });
}

// Only the senders' memory changes, or only the receivers'; with every carrier.
TEST(Given, one_end_alone_may_be_given) {
  on({2, 3}, [](Transport& world) {
    for_each_way(world, [&](const ExchangeOptions& options) {
      for (const bool of_senders : {true, false}) {
        std::array<int, 8> out{}, in{}, fixed{};
        Exchange exchange(world, options);
        auto& client = exchange.client("half");
        const auto there = contiguous(std::span<int>(out)), here = contiguous(std::span<int>(in));
        const auto sent = client.send(behind_me(world), 1, of_senders ? given(sizeof out) : Buffers(there));
        const auto got = client.receive(before_me(world), 1, of_senders ? Buffers(here) : given(sizeof in));
        client.send(behind_me(world), 2, contiguous(std::span<int>(out)));
        client.receive(before_me(world), 2, contiguous(std::span<int>(fixed)));
        exchange.commit();
        of_senders ? exchange.rebind(sent, there) : exchange.rebind(got, here);
        for (int start = 0; start < 3; ++start) {
          for (int i = 0; i < 8; ++i) out[static_cast<std::size_t>(i)] = value(world.rank(), start, i);
          auto messages = exchange.start();
          messages.ready_all(0, 0);
          messages.accept_all(0, 0);
          messages.wait();
          for (int i = 0; i < 8; ++i) {
            ASSERT_EQ(in[static_cast<std::size_t>(i)], value(before_me(world), start, i));
            ASSERT_EQ(fixed[static_cast<std::size_t>(i)], value(before_me(world), start, i));
          }
        }
      }
    });
  });
}

TEST(Given, what_is_wrong_names_the_part) {
  on({1, 2}, [](Transport& world) {
    std::array<int, 4> memory{};
    const auto four = contiguous(std::span<int>(memory)), two = contiguous(std::span<int>(memory).first(2));
    Exchange exchange(world);
    auto& client = exchange.client("given");
    const auto sent = client.send(world.rank(), 1, given(sizeof memory));
    const auto got = client.receive(world.rank(), 1, given(sizeof memory));
    const auto fixed = client.send(world.rank(), 2, two);
    client.receive(world.rank(), 2, contiguous(std::span<int>(memory).last(2)));
    exchange.commit();
    const auto key = "Client 'given', key 1";
    EXPECT_THAT(error_of([&] { static_cast<void>(exchange.start()); }), HasSubstr("has no memory"));
    EXPECT_THAT(error_of([&] { exchange.rebind(sent, two); }), HasSubstr("key 1 is rebound to 8 bytes, but has 16"));
    EXPECT_THAT(error_of([&] { exchange.rebind(fixed, two); }), HasSubstr("key 2 is rebound, but its memory is fixed"));
    EXPECT_THAT(error_of([&] { exchange.rebind(got, contiguous(std::span<const int>(memory))); }),
                HasSubstr("constant memory"));
    EXPECT_THAT(error_of([&] { exchange.rebind({7, 7}, two); }), HasSubstr("does not have"));
    exchange.rebind(sent, four);
    std::array<int, 4> target{};
    EXPECT_THAT(error_of([&] { static_cast<void>(exchange.start()); }), HasSubstr(key));
    exchange.rebind(got, contiguous(std::span<int>(target)));
    memory = {1, 2, 3, 4};
    auto messages = exchange.start();
    EXPECT_THAT(error_of([&] { exchange.rebind(sent, four); }), HasSubstr("The last start was not waited for"));
    messages.ready_all(0, 0);
    messages.wait();
    EXPECT_EQ(target[0], 1);
  });
}

// A send may get its memory just before it is marked ready, and has none in the next start.
TEST(Given, memory_may_come_when_a_part_is_ready) {
  on(any_ranks, [](Transport& world) {
    for_each_way(world, [&](const ExchangeOptions& options) {
      std::array<int, 3> in{}, rest{};
      Exchange exchange(world, options);
      auto& client = exchange.client("late");
      const auto sent = client.send(behind_me(world), 1, given(sizeof in));
      const auto some = client.send_up_to(behind_me(world), 2, given(sizeof rest));
      client.receive(before_me(world), 1, contiguous(std::span<int>(in)));
      const auto got = client.receive_up_to(before_me(world), 2, contiguous(std::span<int>(rest)));
      exchange.commit();
      for (int start = 0; start < 4; ++start) {
        const std::vector<int> out(3, value(world.rank(), start, 1));
        const auto n = static_cast<std::size_t>(start);
        auto messages = exchange.start();
        EXPECT_THAT(error_of([&] { messages.ready(sent); }), HasSubstr("Client 'late', key 1"));
        EXPECT_THAT(error_of([&] { messages.ready_all(0, 0); }), HasSubstr("has no memory"));
        messages.ready(sent, contiguous(std::span<const int>(out)));
        messages.ready(some, contiguous(std::span<const int>(out).first(n)));
        EXPECT_THAT(error_of([&] { messages.ready(sent, contiguous(std::span<const int>(out))); }),
                    HasSubstr("ready twice"));
        messages.accept_all(0, 0);
        messages.wait();
        EXPECT_EQ(in[2], value(before_me(world), start, 1));
        EXPECT_EQ(exchange.received_bytes(got), n * sizeof(int));
      }
    });
  });
}

// The memory that a client sets is used by the exchanges of all options, and by later exchanges.
// A part that was bound keeps its memory beyond a start that lends it other memory.
TEST(Given, memory_for_one_start_replaces_no_binding) {
  on({1, 2}, [](Transport& world) {
    for (const bool bound_before : {true, false}) {
      const int bound = 1, lent = 2;
      int in = 0;
      Exchange exchange(world);
      auto& client = exchange.client("lent");
      const auto out = client.send(behind_me(world), 1, given(sizeof(int)));
      client.receive(before_me(world), 1, contiguous(std::span(&in, 1)));
      exchange.commit();
      const auto bind = [&] { exchange.rebind(out, contiguous(std::span(&bound, 1))); };
      if (bound_before) bind();
      for (const bool lends : {true, true, false, false, true, false}) {
        if (!lends && !bound_before) bind();
        auto messages = exchange.start();
        lends ? messages.ready(out, contiguous(std::span(&lent, 1))) : messages.ready(out);
        messages.wait();
        EXPECT_EQ(in, lends ? lent : bound);
      }
    }
  });
}

TEST(Given, a_step_manager_rebinds_a_client) {
  on(any_ranks, [](Transport& world) {
    struct Moving : Client {
      explicit Moving(Transport& w) : world(w) {}
      void request(Requests& requests) override {
        out = requests.send(behind_me(world), 1, given(sizeof(int)));
        in = requests.receive(before_me(world), 1, given(sizeof(int)));
      }
      void before(Step& step) override { *now = value(world.rank(), static_cast<int>(step.number()), 0); }
      void after(Step& step) override {
        EXPECT_EQ(now[1], value(before_me(world), static_cast<int>(step.number()), 0));
      }
      Transport& world;
      SendPart out;
      ReceivePart in;
      int* now = nullptr;
    } moving(world), other(world);
    std::array<std::array<int, 2>, 3> memory{};
    std::array<int, 2> of_other{};
    other.now = of_other.data();
    {
      StepManager steps(world);
      steps.add("moving", moving);
      EXPECT_THAT(error_of([&] { steps.run_step(); }), HasSubstr("Client 'moving', key 1"));
    }
    StepManager steps(world);
    steps.add("other", other);
    steps.add("moving", moving);
    steps.rebind(other, other.out, contiguous(std::span(of_other).first(1)));
    steps.rebind(other, other.in, contiguous(std::span(of_other).last(1)));
    for (int i = 0; i < 9; ++i) {
      auto& array = memory[static_cast<std::size_t>(i % 3)];
      moving.now = array.data();
      steps.rebind(moving, moving.out, contiguous(std::span(array).first(1)));
      steps.rebind(moving, moving.in, contiguous(std::span(array).last(1)));
      if (i == 4) steps.coalesce(false);
      if (i == 6) steps.use({.messages = {.grouping = Grouping::per_part}});
      steps.run_step();
      if (i == 7) steps.measure_alone(1);
    }
  });
}

// Parts of up to n bytes, with a fixed part between them. Memory behind the received bytes is left unchanged.
struct Varying {
  Varying(Transport& w, const ExchangeOptions& options, std::size_t most) : world(w), exchange(w, options) {
    auto& client = exchange.client("varying");
    for (auto* memory : {&first_out, &first_in, &last_out, &last_in}) memory->resize(most);
    parts_out[0] = client.send_up_to(behind_me(world), 1, contiguous(std::span<const std::uint8_t>(first_out)));
    client.send(behind_me(world), 2, contiguous(std::span<const int>(&fixed_out, 1)));
    parts_out[1] = client.send_up_to(behind_me(world), 3, contiguous(std::span<const std::uint8_t>(last_out)));
    parts_in[0] = client.receive_up_to(before_me(world), 1, contiguous(std::span(first_in)));
    client.receive(before_me(world), 2, contiguous(std::span(&fixed_in, 1)));
    parts_in[1] = client.receive_up_to(before_me(world), 3, contiguous(std::span(last_in)));
    exchange.commit();
  }
  static std::size_t size(int rank, int start, std::size_t most, std::uint64_t which) {
    Random random(hash({static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(start), which}));
    const auto one_of = random.below(4);
    return one_of == 0 ? 0 : one_of == 1 ? most : random.size_below(most + 1);
  }
  static std::uint8_t byte(int rank, int start, std::size_t i) {
    return static_cast<std::uint8_t>(hash({static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(start), i}));
  }
  void run(int start) {
    const auto most = first_out.size();
    const int left = before_me(world);
    for (std::size_t i = 0; i < most; ++i) {
      first_out[i] = byte(world.rank(), start, i);
      last_out[i] = byte(world.rank(), start + 1000, i);
      first_in[i] = last_in[i] = 255;
    }
    fixed_out = start;
    auto messages = exchange.start();
    messages.ready(parts_out[1], size(world.rank(), start, most, 1));
    messages.ready(parts_out[0], size(world.rank(), start, most, 0));
    messages.ready_all(0, 0);
    messages.accept_all(0, 0);
    messages.wait();
    EXPECT_EQ(fixed_in, start);
    for (const std::uint64_t k : {0U, 1U}) {
      const auto bytes = size(left, start, most, k);
      ASSERT_EQ(exchange.received_bytes(parts_in[k]), bytes);
      const auto& in = k == 0 ? first_in : last_in;
      for (std::size_t i = 0; i < most; ++i)
        ASSERT_EQ(in[i], i < bytes ? byte(left, start + (k == 0 ? 0 : 1000), i) : 255) << i;
    }
  }
  Transport& world;
  Exchange exchange;
  std::vector<std::uint8_t> first_out, first_in, last_out, last_in;
  int fixed_out = 0, fixed_in = -1;
  std::array<SendPart, 2> parts_out;
  std::array<ReceivePart, 2> parts_in;
};

TEST(UpTo, what_comes_is_what_was_said) {
  on(any_ranks, [](Transport& world) {
    for_each_way(world, [&](const ExchangeOptions& options) {
      for (const std::size_t most : {0U, 5U, 300U}) {
        Varying varying(world, options, most);
        for (int start = 0; start < 6; ++start) varying.run(start);
      }
    });
  });
}

// The bound is far larger than any rank's memory. The program needs no memory for the received bytes.
TEST(UpTo, the_bound_costs_nothing) {
  on(any_ranks, [](Transport& world) {
    constexpr std::size_t bound = std::size_t{1} << 50;
    for_each_way(world, [&](const ExchangeOptions& options) {
      Exchange exchange(world, options);
      auto& client = exchange.client("any");
      std::array<SendPart, 2> sent;
      std::array<ReceivePart, 2> got;
      for (const std::size_t k : {0U, 1U}) {
        sent[k] = client.send_up_to(k == 0 ? behind_me(world) : world.rank(), 1 + k, given(bound));
        got[k] = client.receive_up_to(k == 0 ? before_me(world) : world.rank(), 1 + k, given(bound));
      }
      exchange.commit();
      for (const std::size_t n : {0U, 3U, 1500U, 10U, 4000U, 1U}) {
        const std::vector<int> out(n, world.rank() + 5);
        auto messages = exchange.start();
        for (const auto part : sent) messages.ready(part, contiguous(std::span<const int>(out)));
        messages.accept_all(0, 0);
        messages.wait();
        EXPECT_EQ(exchange.sent_bytes(sent[0]), n * sizeof(int));
        for (const std::size_t k : {0U, 1U}) {
          EXPECT_EQ(exchange.received_bytes(got[k]), n * sizeof(int));
          const std::vector<int> expected(n, (k == 0 ? before_me(world) : world.rank()) + 5);
          const auto bytes = exchange.take_received(got[k]);
          const auto wanted = std::as_bytes(std::span(expected));
          EXPECT_TRUE(bytes.size() == wanted.size() &&
                      (n == 0 || std::memcmp(bytes.data(), wanted.data(), wanted.size()) == 0));
          EXPECT_TRUE(exchange.take_received(got[k]).empty()) << "it was moved out";
        }
      }
    });
  });
}

TEST(UpTo, all_that_it_has_travels_if_nothing_is_said) {
  on({1, 2}, [](Transport& world) {
    std::array<int, 6> out{1, 2, 3, 4, 5, 6}, in{};
    Exchange exchange(world);
    auto& client = exchange.client("all");
    const auto sent = client.send_up_to(behind_me(world), 1, given(sizeof out));
    const auto got = client.receive_up_to(before_me(world), 1, contiguous(std::span<int>(in)));
    exchange.commit();
    for (const std::size_t n : {6U, 2U, 0U, 5U}) {
      exchange.rebind(sent, contiguous(std::span<int>(out).first(n)));
      in.fill(-1);
      auto messages = exchange.start();
      messages.ready(sent);
      messages.wait();
      EXPECT_EQ(exchange.received_bytes(got), n * sizeof(int));
      for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(in[i], i < n ? out[i] : -1);
    }
  });
}

TEST(UpTo, what_is_wrong_names_the_part) {
  on({1, 2}, [](Transport& world) {
    std::array<int, 4> out{}, in{};
    const auto all_out = contiguous(std::span<int>(out)), all_in = contiguous(std::span<int>(in));
    {
      Exchange exchange(world);
      auto& client = exchange.client("mixed");
      client.send_up_to(behind_me(world), 1, all_out);
      client.receive(before_me(world), 1, all_in);
      EXPECT_THAT(error_of([&] { exchange.commit(); }),
                  HasSubstr("Client 'mixed', key 1 has a fixed size on one end only"));
    }
    {
      Exchange exchange(world);
      auto& client = exchange.client("sizes");
      client.send_up_to(behind_me(world), 1, all_out);
      client.receive_up_to(before_me(world), 1, contiguous(std::span<int>(in).first(2)));
      EXPECT_THAT(error_of([&] { exchange.commit(); }), HasSubstr("Client 'sizes', key 1 has two sizes"));
    }
    Exchange exchange(world);
    auto& client = exchange.client("right");
    EXPECT_THAT(error_of([&] {
                  client.send_up_to(0, 9, strided(out.data(), {{2, 8}}));
                }),
                HasSubstr("is not contiguous"));
    const auto sent = client.send_up_to(behind_me(world), 1, all_out);
    const auto fixed = client.send(behind_me(world), 2, all_out);
    const auto got = client.receive_up_to(before_me(world), 1, all_in);
    std::array<int, 4> other{};
    client.receive(before_me(world), 2, contiguous(std::span<int>(other)));
    exchange.commit();
    auto messages = exchange.start();
    EXPECT_THAT(error_of([&] { messages.ready(sent, 17); }), HasSubstr("with 17 bytes, but has up to 16"));
    EXPECT_THAT(error_of([&] { messages.ready(fixed, 4); }), HasSubstr("with 4 bytes, but has 16"));
    EXPECT_THAT(error_of([&] { static_cast<void>(exchange.received_bytes(got)); }), HasSubstr("has not arrived"));
    messages.ready(sent, 4);
    EXPECT_THAT(error_of([&] { messages.ready(sent, 8); }), HasSubstr("marked ready twice"));
    EXPECT_THAT(error_of([&] { exchange.take_received(got); }), HasSubstr("has not arrived"));
    messages.ready(fixed, 16);
    messages.wait();
    EXPECT_EQ(exchange.received_bytes(got), 4U);
    EXPECT_THAT(error_of([&] { exchange.take_received(got); }), HasSubstr("was received into its memory"));
  });
}

// A client of a StepManager that sends variable sizes.
TEST(UpTo, is_a_part_of_a_step) {
  on(any_ranks, [](Transport& world) {
    struct Sender : Client {
      explicit Sender(Transport& w) : world(w) {}
      void request(Requests& requests) override {
        out = requests.send_up_to(behind_me(world), 1, contiguous(std::span<const int>(leaving)));
        in = requests.receive_up_to(before_me(world), 1, contiguous(std::span<int>(arriving)));
      }
      void before(Step& step) override {
        const auto n = static_cast<std::size_t>(step.number()) % 5;
        leaving.fill(world.rank());
        step.ready(out, n * sizeof(int));
      }
      void after(Step& step) override {
        EXPECT_EQ(step.received_bytes(in), static_cast<std::size_t>(step.number()) % 5 * sizeof(int));
        if (step.number() % 5 > 0) {
          EXPECT_EQ(arriving[0], before_me(world));
        }
      }
      Transport& world;
      SendPart out;
      ReceivePart in;
      std::array<int, 4> leaving{}, arriving{};
    } sender(world);
    StepManager steps(world);
    steps.add("sender", sender);
    for (int i = 0; i < 7; ++i) steps.run_step();
  });
}

// A part of up to 0 bytes needs no memory, and has none to be received into; one of exactly 0 bytes needs none either.
TEST(UpTo, may_be_of_nothing) {
  on(any_ranks, [](Transport& world) {
    for_each_way(world, [&](const ExchangeOptions& options) {
      Exchange exchange(world, options);
      auto& client = exchange.client("nothing");
      const std::array sends{client.send_up_to(behind_me(world), 1, given(0)),
                             client.send_up_to(behind_me(world), 2, given(0))};
      client.send(behind_me(world), 3, given(0));
      const auto got = client.receive_up_to(before_me(world), 1, given(0));
      const auto bound = client.receive_up_to(before_me(world), 2, given(0));
      const auto exact = client.receive(before_me(world), 3, given(0));
      exchange.commit();
      exchange.rebind(bound, Region{contiguous(std::span<int>())});
      for (int start = 0; start < 3; ++start) {
        auto messages = exchange.start();
        if (start == 1) messages.ready(sends[0], Region{});
        if (start == 2) messages.ready(sends[1], 0);
        messages.ready_all(0, 0);
        messages.accept_all(0, 0);
        messages.wait();
        for (const auto part : {got, bound, exact}) EXPECT_EQ(exchange.received_bytes(part), 0U);
        EXPECT_EQ(exchange.sent_bytes(sends[0]), 0U);
        EXPECT_TRUE(exchange.take_received(got).empty());
        EXPECT_THAT(error_of([&] { exchange.take_received(bound); }), HasSubstr("was received into its memory"));
      }
    });
  });
}

// Before the first step nothing; then as much as the last step, with any bound and any memory.
TEST(UpTo, a_measurement_alone_sends_what_the_last_step_sent) {
  on({2, 3}, [](Transport& world) {
    struct Sender : Client {
      explicit Sender(Transport& w) : world(w) {}
      void request(Requests& requests) override {
        constexpr auto most = std::size_t{1} << 46;
        out = {requests.send_up_to(behind_me(world), 1, given(most)),
               requests.send_up_to(behind_me(world), 2, contiguous(std::span<const std::byte>(leaving))),
               requests.send(behind_me(world), 3, given(24))};
        in = requests.receive_up_to(before_me(world), 1, given(most));
        requests.receive_up_to(before_me(world), 2, contiguous(std::span(arriving)));
        requests.receive(before_me(world), 3, contiguous(std::span<std::byte>(fixed)));
      }
      void before(Step& step) override {
        step.ready(out[0], contiguous(std::span<const std::byte>(leaving).first(20000)));
        step.ready(out[1], 30000);
        step.ready(out[2], contiguous(std::span<const std::byte>(leaving).first(24)));
      }
      void after(Step& step) override { EXPECT_EQ(step.take_received(in).size(), 20000U); }
      Transport& world;
      std::array<SendPart, 3> out;
      ReceivePart in;
      std::vector<std::byte> leaving = std::vector<std::byte>(40000, std::byte{7}),
                             arriving = std::vector<std::byte>(40000);
      std::array<std::byte, 24> fixed{};
    };
    const auto watch = std::make_shared<Watch>();
    WatchedTransport watched(world, watch);
    Sender sender(world);
    StepManager steps(watched);
    steps.add("sender", sender);
    const auto sent_by = [&](const auto& action) {
      const auto before = watch->sent_bytes;
      action();
      return watch->sent_bytes - before;
    };
    static_cast<void>(steps.describe());  // commits
    EXPECT_LT(sent_by([&] { steps.measure_alone(1); }), 100U);
    steps.run_step();
    const auto once = sent_by([&] { steps.run_step(); });
    EXPECT_GE(once, 50000U);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(sent_by([&] { steps.measure_alone(3); }), 3 * once);
    EXPECT_EQ(sender.arriving[29999], std::byte{7});
    EXPECT_EQ(sent_by([&] { steps.run_step(); }), once);
  });
}

}  // namespace
}  // namespace weft
