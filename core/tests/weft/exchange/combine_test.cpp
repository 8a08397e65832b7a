// SPDX-License-Identifier: BSD-3-Clause
//
// Receives that combine. (Random programs with them are in property_model.cpp.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Every rank sends `mine` to rank 0, which combines all with `value`.
template <class T>
T combined(Transport& world, T mine, T value, const Reduction<T>& how, const ExchangeOptions& options = {},
           bool in_any_order = false) {
  Exchange exchange(world, options);
  auto& client = exchange.client("assembly");
  client.send(0, 1, contiguous(std::span<const T>(&mine, 1)));
  for (int rank = 0; rank < world.size() && world.rank() == 0; ++rank)
    client.receive(rank, 1, contiguous(std::span(&value, 1)), {.combine = how, .in_any_order = in_any_order});
  exchange.commit();
  auto start = exchange.start();
  start.ready_all(0, 0);
  start.accept_all(0, 0);
  start.wait();
  return value;
}

template <class T>
class CombineOf : public ::testing::Test {};
using Numbers = ::testing::Types<std::int32_t, std::int64_t, std::uint64_t, float, double, std::int16_t>;
TYPED_TEST_SUITE(CombineOf, Numbers);

TYPED_TEST(CombineOf, numbers_adds_and_finds_the_least_and_the_most) {
  on(4_ranks, [](Transport& world) {
    const auto mine = static_cast<TypeParam>(10 + world.rank());
    const auto value = static_cast<TypeParam>(12);
    const bool is_root = world.rank() == 0;
    EXPECT_EQ(combined(world, mine, value, sum<TypeParam>()), is_root ? TypeParam(58) : value);
    EXPECT_EQ(combined(world, mine, value, minimum<TypeParam>()), is_root ? TypeParam(10) : value);
    EXPECT_EQ(combined(world, mine, value, maximum<TypeParam>()), is_root ? TypeParam(13) : value);
  });
}

TEST(Combine, takes_structures_with_the_user_s_function) {
  using Complex = std::complex<double>;
  on(3_ranks, [](Transport& world) {
    const Complex mine(1, world.rank());
    const auto found = combined(world, mine, Complex(1, 1), sum<Complex>());
    EXPECT_EQ(found, world.rank() == 0 ? Complex(4, 4) : Complex(1, 1));
    struct Long {
      long n[1000];
    };
    const auto all = combined(world, Long{{1}}, Long{{5}}, reduction<Long>([](const Long& a, const Long& b) {
                                Long c = a;
                                c.n[0] = 10 * a.n[0] + b.n[0];
                                c.n[999] = a.n[999] + 1;
                                return c;
                              }));
    EXPECT_EQ(all.n[0], world.rank() == 0 ? 5111 : 5);
    EXPECT_EQ(all.n[999], world.rank() == 0 ? 3 : 0);
  });
}

// Large and small numbers: each order of additions rounds to another sum.
TEST(Combine, has_the_same_bits_whatever_arrives_first) {
  const auto number = [](int rank) { return rank % 2 == 0 ? 1e16 / (rank + 1) : 0.3 * rank; };
  double expected = 0.7;
  for (int rank = 0; rank < 8; ++rank) expected += number(rank);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ExchangeOptions options;
    options.messages.defer_unpacking = seed % 3 == 1;
    options.messages.shared_memory = seed % 2 == 1;
    options.messages.grouping = seed % 5 == 1 ? Grouping::per_part : Grouping::per_peer;
    run_in_process(
        8,
        [&](Transport& world) {
          const double found = combined(world, number(world.rank()), 0.7, sum<double>(), options);
          EXPECT_EQ(found, world.rank() == 0 ? expected : 0.7);
          const double near = combined(world, number(world.rank()), 0.7, sum<double>(), options, true);
          EXPECT_NEAR(near, world.rank() == 0 ? expected : 0.7, 100);
        },
        random_arrival(seed, 1 + static_cast<int>(seed % 7)));
  }
}

TEST(Combine, begins_anew_in_each_start_and_takes_the_memory_of_the_buffer_index) {
  on(2_ranks, [](Transport& world) {
    std::vector<double> a(4, 100), b(4, 200), mine{1, 2, 3};
    Exchange exchange(world);
    auto& client = exchange.client("assembly");
    client.send(0, 1, contiguous(std::span<const double>(mine)));
    for (int rank = 0; rank < 2 && world.rank() == 0; ++rank)
      client.receive(
          rank, 1,
          Buffers({contiguous(std::span(a).first(3)), indexed(b.data(), {3, 1, static_cast<std::size_t>(rank)})}),
          {.combine = sum<double>()});
    exchange.commit();
    for (std::uint64_t index : {0, 1, 0}) {
      auto start = exchange.start(index);
      start.ready_all(0, 0);
      start.wait();
    }
    if (world.rank() != 0) return;
    EXPECT_THAT(a, ElementsAre(104, 108, 112, 100));
    EXPECT_THAT(b, ElementsAre(203, 207, 200, 202));
  });
}

// The text of commit()'s error if rank 0 receives these from rank 1.
std::string refusal(const std::vector<std::pair<Buffers, ReceiveOptions>>& receives) {
  std::string text;
  run_in_process(2, [&](Transport& world) {
    Exchange exchange(world);
    auto& client = exchange.client("heat");
    std::vector<std::byte> bytes(4096);
    for (Key key = 0; key < receives.size(); ++key) {
      const auto& [buffers, options] = receives[key];
      if (world.rank() == 0)
        client.receive(1, key, buffers, options);
      else
        client.send(0, key, make_contiguous(bytes.data(), buffers.bytes(), false), options.round);
    }
    try {
      exchange.commit();
    } catch (const Error& error) {
      if (world.rank() == 0) text = error.what();
    }
  });
  return text;
}

TEST(Combine, is_needed_to_receive_twice_into_the_same_memory) {
  std::vector<double> array(64);
  const auto rows = [&](std::size_t first, std::size_t n) { return box(array.data(), {8, 8}, {first, 0}, {n, 8}); };
  const auto column = [&](std::size_t at) { return box(array.data(), {8, 8}, {0, at}, {8, 1}); };
  const ReceiveOptions adds{.combine = sum<double>()};
  const std::string shared = "are received into the same memory. Give each its own memory, or let both combine.";
  EXPECT_EQ(refusal({{column(1), {}}, {column(2), {}}, {column(7), {}}, {column(0), {}}}), "");
  EXPECT_EQ(refusal({{column(1), {}}, {rows(0, 3), {}}}),
            "Client 'heat', key 0 from rank 1 and client 'heat', key 1 from rank 1 " + shared);
  EXPECT_EQ(refusal({{rows(3, 2), {}}, {column(4), adds}, {rows(0, 3), adds}}),
            "Client 'heat', key 0 from rank 1 and client 'heat', key 1 from rank 1 " + shared);
  EXPECT_EQ(refusal({{column(3), adds}, {rows(0, 3), adds}, {rows(1, 4), adds}}), "");
  EXPECT_EQ(refusal({{indexed(array.data(), {5, 9, 5}), {}}, {rows(2, 3), {}}}), "");
  EXPECT_EQ(refusal({{rows(0, 3), {}}, {rows(2, 1), {.round = 1}}}), "");  // the program may have sent in between
  EXPECT_EQ(refusal({{Buffers({rows(0, 1), rows(1, 1)}), {}}, {Buffers({rows(1, 1), rows(0, 1)}), {}}}), "");
  EXPECT_THAT(refusal({{Buffers({rows(0, 1), rows(1, 1)}), {}}, {Buffers({rows(2, 1), rows(1, 1)}), {}}}),
              HasSubstr(shared));
  const auto bytes = [&](std::size_t first, std::size_t n) {
    return contiguous(std::as_writable_bytes(std::span(array)).subspan(first, n));
  };
  EXPECT_EQ(refusal({{bytes(0, 13), {}}, {bytes(13, 4), {}}, {bytes(17, 495), {}}}), "");
  EXPECT_THAT(refusal({{bytes(0, 13), {}}, {bytes(14, 4), {}}, {bytes(17, 495), {}}}),
              HasSubstr("key 1 from rank 1 and"));
}

TEST(Combine, into_memory_that_is_sent_is_refused_in_one_round) {
  on(1_ranks, [](Transport& world) {
    std::vector<double> sums(100);
    const auto refusal = [&](std::size_t first, int round) {
      Exchange exchange(world);
      auto& client = exchange.client("nodes");
      client.send(0, 1, contiguous(std::span(sums).first(10)), 1);
      client.receive(0, 1, contiguous(std::span(sums).subspan(20, 10)), 1);
      client.send(0, 2, contiguous(std::span(sums).subspan(40, 10)), round);
      client.receive(0, 2, contiguous(std::span(sums).subspan(first, 10)), {.combine = sum<double>(), .round = round});
      return error_of([&] { exchange.commit(); });
    };
    EXPECT_EQ(refusal(0, 0), "no error");   // sent later
    EXPECT_EQ(refusal(10, 1), "no error");  // beside what is sent
    EXPECT_EQ(refusal(30, 1), "no error");
    EXPECT_EQ(
        refusal(9, 1),
        "Client 'nodes', key 1 to rank 0 is sent from memory that a receive of the same round combines into. Send "
        "from other memory, or combine in a later round.");
    EXPECT_THAT(refusal(31, 1), HasSubstr("key 2 to rank 0 is sent from memory"));
    EXPECT_THAT(refusal(40, 0), HasSubstr("key 2 to rank 0 is sent from memory"));
  });
}

TEST(Combine, refuses_other_types_and_parts_of_elements) {
  on(1_ranks, [](Transport& world) {
    std::vector<float> array(8);
    Exchange exchange(world);
    auto& client = exchange.client("heat");
    const auto all = contiguous(std::span(array));
    EXPECT_EQ(error_of([&] { client.receive(0, 3, all, {.combine = sum<double>()}); }),
              "Client 'heat', key 3 combines values of float64 with float32. Use the reduction of the memory's type.");
    EXPECT_EQ(error_of([&] {
                client.receive(0, 3, contiguous(std::as_writable_bytes(std::span(array)).first(9)),
                               {.combine = sum<float>()});
              }),
              "Client 'heat', key 3 combines elements of 4 bytes, but its memory is cut within elements. Give whole "
              "elements.");
    for (const auto& [bytes, element] : {std::pair(9, 4), {8, 0}}) {
      const auto text = error_of([&, n = static_cast<std::size_t>(bytes)] {
        auto reduction = sum<float>().of_bytes;
        reduction.element_bytes = static_cast<std::size_t>(element);
        client.receive(0, 3, given(n), {.combine = {reduction, ElementType::of<float>()}});
      });
      EXPECT_THAT(text, HasSubstr("its memory is cut within elements"));
    }
    const auto part = client.receive(0, 3, given(8), {.combine = sum<float>()});
    client.send(0, 3, given(8));
    std::vector<double> other(1);
    EXPECT_THAT(error_of([&] { exchange.rebind(part, contiguous(std::span(other))); }),
                HasSubstr("combines values of float32 with float64"));
    EXPECT_TRUE(client.list().size() == 2);
  });
}

}  // namespace
}  // namespace weft
