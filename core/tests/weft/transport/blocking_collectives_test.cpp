// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(BlockingCollectives, gather_text_in_pieces) {
  on(any_ranks, [](Transport& world) {
    // Rank r has 5 r letters, so that texts span several pieces and pieces contain several texts; rank 0 has none.
    const auto text_of = [](int r) { return std::string(static_cast<std::size_t>(5 * r), static_cast<char>('a' + r)); };
    std::string expected;
    for (int r = 0; r < world.size(); ++r) expected += text_of(r);
    for (const std::size_t piece_bytes : {1u, 3u, 5u, 7u, 1000u}) {
      std::string all;
      gather_text(
          world, text_of(world.rank()),
          [&](const std::string& piece) {
            EXPECT_EQ(world.rank(), 0);
            EXPECT_EQ(piece.size(), std::min(piece_bytes, expected.size() - all.size()));
            all += piece;
          },
          piece_bytes);
      EXPECT_EQ(all, world.rank() == 0 ? expected : "");
    }
  });
}

TEST(BlockingCollectives, give_what_their_names_say) {
  on(any_ranks, [](Transport& world) {
    const int rank = world.rank(), size = world.size(), last = size - 1;
    EXPECT_EQ(all_reduce(world, rank + 1, sum<int>()), size * (size + 1) / 2);
    EXPECT_EQ(all_reduce(world, 1.5 + rank, maximum<double>()), 1.5 + last);
    EXPECT_EQ(all_reduce(world, static_cast<short>(rank), minimum<short>()), 0);  // weft maps short to no MPI type

    // Rank r has r values.
    const std::vector<int> mine(static_cast<std::size_t>(rank), rank);
    std::vector<int> all;
    for (int r = 0; r < size; ++r) all.insert(all.end(), static_cast<std::size_t>(r), r);
    EXPECT_EQ(all_gather(world, mine), all);
    EXPECT_EQ(all_gather(world, rank), [&] {
      std::vector<int> ranks;
      for (int r = 0; r < size; ++r) ranks.push_back(r);
      return ranks;
    }());
    const auto gathered = gather(world, mine, last);
    ASSERT_EQ(gathered.size(), rank == last ? static_cast<std::size_t>(size) : 0u);
    for (std::size_t r = 0; r < gathered.size(); ++r) EXPECT_EQ(gathered[r], std::vector<int>(r, static_cast<int>(r)));

    // Rank r sends s values 10 r + s to rank s.
    std::vector<std::vector<int>> out;
    for (int s = 0; s < size; ++s) out.emplace_back(static_cast<std::size_t>(s), 10 * rank + s);
    const auto in = all_to_all(world, out);
    for (int r = 0; r < size; ++r)
      EXPECT_EQ(in[static_cast<std::size_t>(r)], std::vector<int>(static_cast<std::size_t>(rank), 10 * r + rank));

    EXPECT_EQ(broadcast(world, std::string(rank == last ? "from the last" : ""), last), "from the last");
    const auto texts = all_gather(world, std::string(static_cast<std::size_t>(rank), 'x'));
    for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::string(r, 'x'));
    barrier(world);
  });
}

TEST(BlockingCollectives, of_nothing_are_empty) {
  on(any_ranks, [](Transport& world) {
    const std::vector<int> none;
    const int last = world.size() - 1;
    const auto each = std::vector<std::vector<int>>(static_cast<std::size_t>(world.size()));
    EXPECT_EQ(all_gather(world, none), none);
    EXPECT_EQ(broadcast(world, none, last), none);
    EXPECT_EQ(gather(world, none, last), world.rank() == last ? each : decltype(each)());
    EXPECT_EQ(all_to_all(world, each), each);
    EXPECT_EQ(all_reduce(world, std::array<double, 0>(), sum<double>()), (std::array<double, 0>()));
    EXPECT_EQ(broadcast(world, std::string()), "");
    for (const auto kind : {Collective::Kind::reduce, Collective::Kind::all_reduce})
      detail::run_collective(world, {.kind = kind, .reduction = sum<int>().of_bytes, .root = last});
  });
}

// A reduction of another type than the values' does not compile.
template <class T, class R>
concept Reduces = requires(Transport& world, T value, R how) {
  all_reduce(world, value, how);
};
static_assert(Reduces<float, Reduction<float>>);
static_assert(!Reduces<float, Reduction<double>>);
static_assert(!Reduces<int, Reduction<std::int64_t>>);
static_assert(Reduces<std::array<double, 3>, Reduction<double>>);
static_assert(!Reduces<std::array<float, 4>, Reduction<double>>);
template <class T, class R>
concept MakesACollective = requires(std::span<const T> in, std::span<T> out, R how) {
  Collective::all_reduce(in, out, how);
  Collective::reduce(0, in, out, how);
};
static_assert(MakesACollective<double, Reduction<double>>);
static_assert(!MakesACollective<float, Reduction<double>>);

TEST(BlockingCollectives, reduce_several_values_at_once) {
  on(any_ranks, [](Transport& world) {
    const auto sums = all_reduce(world, std::array{1.5, 2.0 * world.rank()}, sum<double>());
    EXPECT_EQ(sums, (std::array{1.5 * world.size(), world.size() * (world.size() - 1.0)}));
  });
}

TEST(BlockingCollectives, refuse_sizes_that_do_not_fit_their_reduction) {
  on(any_ranks, [](Transport& world) {
    const std::array<float, 3> in{};
    std::array<float, 3> out{};
    const auto error = [&](std::size_t bytes_in, std::size_t bytes_out, Collective::Kind kind) {
      return error_of([&] {
        detail::run_collective(world, {.kind = kind,
                                       .in = std::as_bytes(std::span(in)).first(bytes_in),
                                       .out = std::as_writable_bytes(std::span(out)).first(bytes_out),
                                       .reduction = sum<double>().of_bytes,
                                       .root = world.rank()});
      });
    };
    for (const auto kind : {Collective::Kind::all_reduce, Collective::Kind::reduce}) {
      EXPECT_THAT(error(12, 12, kind), AllOf(HasSubstr(std::string("A collective (") + name_of(kind) + ") on rank " +
                                                       std::to_string(world.rank())),
                                             HasSubstr("reduces 12 bytes in elements of 8 bytes")));
      EXPECT_THAT(error(8, 4, kind), HasSubstr("reduces 8 bytes into 4 bytes"));
    }
  });
}

}  // namespace
}  // namespace weft
