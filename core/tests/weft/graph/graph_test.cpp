// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/tests/weft/graph/random_graph.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/graph/graph.hpp"
#include "weft/graph/graph_exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
// The graph itself, seen from both ends.
void expect_right(Transport& world, const Graph& graph, const Plot& plot) {
  const auto me = static_cast<std::size_t>(world.rank());
  EXPECT_EQ(graph.owned(), plot.owned[me].size());
  EXPECT_EQ(graph.wanted(), plot.wanted[me].size());
  std::vector<Numbers> told(plot.owned.size());  // the numbers that I send, by rank
  for (const auto& [rank, places] : graph.readers())
    for (const auto i : places.list()) told[static_cast<std::size_t>(rank)].push_back(plot.owned[me].at(i));
  const auto heard = all_to_all(world, told);
  std::size_t copies = 0;
  for (const auto& [rank, places] : graph.owners()) {
    ASSERT_EQ(places.size(), heard[static_cast<std::size_t>(rank)].size());
    for (std::size_t k = 0; k < places.size(); ++k)
      EXPECT_EQ(plot.wanted[me].at(places[k]), heard[static_cast<std::size_t>(rank)][k]);
    copies += places.size();
  }
  EXPECT_EQ(copies, plot.wanted[me].size());
}

void try_plot(Transport& world, std::uint64_t seed, PlotKind kind) {
  SCOPED_TRACE("WEFT_TEST_SEED=" + std::to_string(seed) + ", kind " + std::to_string(static_cast<int>(kind)));
  const auto plot = random_plot(seed, world.size(), kind);
  const auto me = static_cast<std::size_t>(world.rank());
  const Graph graph(world, plot.owned[me], plot.wanted[me]);
  expect_right(world, graph, plot);
  Random of_all(seed), of_me(hash({seed, me}));
  Fields<double> a(of_all, of_me, plot, me, sum<double>());
  Fields<float> b(of_all, of_me, plot, me, maximum<float>());
  Fields<std::int64_t> c(of_all, of_me, plot, me, sum<std::int64_t>());
  Fields<std::int16_t> d(
      of_all, of_me, plot, me,  // not associative, so that the order counts
      reduction<std::int16_t>([](std::int16_t x, std::int16_t y) { return static_cast<std::int16_t>(3 * x + y); }));
  const std::vector<GraphField> fields{a.field(), b.field(), c.field(), d.field()};
  const auto carriers = carriers_of(world);
  const MessageOptions messages{
      .grouping = std::array{Grouping::per_peer, Grouping::per_part, Grouping::by_size}[of_all.size_below(3)],
      .packed_limit_bytes = of_all.chance(2) ? 0U : 2000U,
      .carrier = carriers[of_all.size_below(carriers.size())],
      .shared_memory = of_all.chance(3),
      .defer_unpacking = of_all.chance(3)};
  using Kind = ProgressOptions::Kind;
  const auto progress = std::array{Kind::passive, Kind::polling, Kind::thread}[of_all.size_below(3)];
  const ExchangeOptions options{.messages = messages,
                                .progress = std::make_shared<Progress>(world, ProgressOptions{.kind = progress})};
  auto plain = fields;
  for (auto& field : plain) field.combine = {};
  GraphExchange to_copies(world, graph, plain, GraphFlow::to_copies, options);
  GraphExchange to_owners(world, graph, fields, GraphFlow::to_owners, options);
  for (std::uint64_t start = 0; start < 3; ++start) {
    a.fill(start), b.fill(start), c.fill(start), d.fill(start);
    to_copies.start();
    to_copies.finish();
    a.expect_copies(start), b.expect_copies(start), c.expect_copies(start), d.expect_copies(start);
    a.fill_copies(start), b.fill_copies(start), c.fill_copies(start), d.fill_copies(start);
    to_owners.start();
    to_owners.finish();
    a.expect_owned(start), b.expect_owned(start), c.expect_owned(start), d.expect_owned(start);
  }
}

// WEFT_TEST_SEED=n tries other graphs.
TEST(Graph, values_go_to_copies_and_copies_to_owners) {
  const char* chosen = std::getenv("WEFT_TEST_SEED");
  const std::uint64_t first = chosen ? std::strtoull(chosen, nullptr, 10) : 1;
  on(any_ranks, [first](Transport& world) {
    for (std::uint64_t seed = first; seed < first + 10; ++seed)
      for (const auto kind : plot_kinds) try_plot(world, seed, kind);
  });
}

TEST(Graph, values_go_to_copies_and_copies_to_owners_on_many_ranks) {
  on(Ranks{5, 8}, [](Transport& world) {
    for (const auto kind : plot_kinds) try_plot(world, 11, kind);
  });
}

TEST(Graph, sorts_the_copies_so_that_each_owners_are_contiguous) {
  on(any_ranks, [](Transport& world) {
    for (const auto kind : plot_kinds) {
      auto plot = random_plot(5, world.size(), kind);
      auto& wanted = plot.wanted[static_cast<std::size_t>(world.rank())];
      auto before = wanted;
      const auto graph = Graph::sorted(world, plot.owned[static_cast<std::size_t>(world.rank())], wanted);
      expect_right(world, graph, plot);
      std::size_t first = 0;
      for (const auto& [rank, places] : graph.owners()) {
        EXPECT_TRUE(places.is_contiguous());
        EXPECT_EQ(places[0], first);
        first += places.size();
        EXPECT_TRUE(std::is_sorted(wanted.begin() + static_cast<std::ptrdiff_t>(places[0]),
                                   wanted.begin() + static_cast<std::ptrdiff_t>(first)));
      }
      auto after = wanted;
      std::ranges::sort(before);
      std::ranges::sort(after);
      EXPECT_EQ(before, after);
    }
  });
}

TEST(Graph, of_a_range_is_that_of_its_list) {
  on(any_ranks, [](Transport& world) {
    for (const bool others_list_gaps : {false, true}) {
      const auto rank = static_cast<std::uint64_t>(world.rank()), size = static_cast<std::uint64_t>(world.size());
      const NumberRange range{1000 * rank + largest - 1000 * size + 1, rank == 0 && size > 1 ? 0U : 1000U};
      Plot plot;
      for (std::uint64_t r = 0; r < size; ++r) {
        auto& numbers = plot.owned.emplace_back();
        for (std::uint64_t i = 0; i < (r == 0 && size > 1 ? 0U : 1000U); ++i)
          numbers.push_back(1000 * r + largest - 1000 * size + 1 + i);
        if (others_list_gaps && r == 1) numbers.insert(numbers.begin(), 5);
        plot.all.insert(plot.all.end(), numbers.begin(), numbers.end());
      }
      plot.wanted.assign(plot.owned.size(), plot.all);
      const auto& wanted = plot.wanted.front();
      expect_right(world,
                   others_list_gaps && rank == 1 ? Graph(world, plot.owned[1], wanted) : Graph(world, range, wanted),
                   plot);
    }
  });
}

// Each rank owns 100 consecutive numbers, or (scattered) every size-th of them.
Numbers own(const Transport& world, bool scattered) {
  const auto rank = static_cast<std::uint64_t>(world.rank()), size = static_cast<std::uint64_t>(world.size());
  Numbers numbers;
  for (std::uint64_t i = 0; i < 100; ++i) numbers.push_back(scattered ? i * (size + 1) + rank : 100 * rank + i);
  return numbers;
}

TEST(Graph, names_a_number_that_nobody_owns) {
  on(any_ranks, [](Transport& world) {
    for (const bool scattered : {false, true}) {
      const auto owned = own(world, scattered);
      Numbers wanted{owned.front()};
      const int asking = world.size() - 1;
      if (world.rank() == asking) wanted.push_back(1000000);
      EXPECT_EQ(error_of([&] { Graph(world, owned, wanted); }),
                "Number 1000000 is wanted by rank " + std::to_string(asking) +
                    ", but no rank owns it. Want only numbers that a rank owns.");
      EXPECT_EQ(Graph(world, owned, Numbers{owned.back()}).wanted(), 1U);  // the transport works as before
    }
  });
}

TEST(Graph, names_a_number_that_two_ranks_own) {
  on(Ranks{2, 4}, [](Transport& world) {
    for (const bool scattered : {false, true}) {
      auto owned = own(world, scattered);
      if (world.rank() == 1) owned.insert(owned.begin(), scattered ? 0 : 99);
      EXPECT_EQ(
          error_of([&] { Graph(world, owned, {}); }),
          "Number " + std::string(scattered ? "0" : "99") + " is owned by ranks 0 and 1. Give each number one owner.");
    }
  });
}

TEST(Graph, names_a_number_that_a_rank_owns_twice) {
  on(any_ranks, [](Transport& world) {
    auto owned = own(world, false);
    const int twice = world.size() / 2;
    if (world.rank() == twice) owned.push_back(owned[30]);
    EXPECT_EQ(error_of([&] { Graph(world, owned, {}); }), "Number " + std::to_string(100 * twice + 30) +
                                                              " is owned twice by rank " + std::to_string(twice) +
                                                              ". Give each number once.");
  });
}

TEST(Graph, names_a_range_beyond_the_largest_number) {
  on(any_ranks, [](Transport& world) {
    const int wrong = world.size() - 1;
    const auto first = world.rank() == wrong ? largest - 1 : static_cast<std::uint64_t>(10 * world.rank());
    EXPECT_EQ(error_of([&] { Graph(world, NumberRange{first, 2}, {}); }), "no error");
    EXPECT_EQ(error_of([&] {
                Graph(world, NumberRange{first, world.rank() == wrong ? 3U : 2U}, {});
              }),
              "The 3 numbers of rank " + std::to_string(wrong) +
                  " begin at 18446744073709551614 (the largest number is 2^64 - 1). Begin lower.");
  });
}

TEST(Graph, names_arrays_that_do_not_fit) {
  on(1_ranks, [](Transport& world) {
    const Numbers numbers{1, 2, 3};
    const Graph graph(world, numbers, numbers);
    std::vector<double> three(3), six(6);
    const std::vector<float> single(3);
    Exchange exchange(world);
    auto& client = exchange.client("field");
    const auto error = [&](const Values& owned, const Values& copies) {
      return error_of([&] { graph.to_copies(client, 4, owned, copies); });
    };
    EXPECT_EQ(error(three, {six, {.components = 3}}),
              "The copies of a graph are in an array of 6 elements, which is too short (3 numbers of 3 components, "
              "stride 3, component stride 1). Give at least 9 elements.");
    EXPECT_EQ(error({six, {.components = 2, .stride = 1, .component_stride = 2}}, three),
              "The owned values of a graph have strides with which values share elements (3 numbers of 2 components, "
              "stride 1, component stride 2). Give each component of each number an element of its own.");
    EXPECT_EQ(error(three, {six, {.components = 2}}),
              "Client 'field', key 4 has 1 components of owned values, but 2 of copies. Give both the same.");
    EXPECT_EQ(error(single, three),
              "Client 'field', key 4 has owned values of float32, but copies of float64. Give both the same type.");
    EXPECT_EQ(error(three, std::span<const double>(three)),
              "Client 'field', key 4 receives into constant memory. Give writable memory.");
    EXPECT_EQ(error_of([&] { Values(three, {.components = 0}); }),
              "An array of a graph has values of size 0, or no components. Use 1 or more.");
    for (const auto stride : {SIZE_MAX / 2 + 1, SIZE_MAX})  // times 2 or 3, modulo 2^64, they are small
      EXPECT_NE(error_of([&, stride] { Values(three, {.stride = stride}).check(3, "The values"); }).find("too short"),
                std::string::npos);
  });
}

TEST(Graph, names_a_layout_that_differs_between_ranks) {
  on(2_ranks, [](Transport& world) {
    const Numbers owned{static_cast<std::uint64_t>(world.rank())}, wanted{1 - owned.front()};
    const Graph graph(world, owned, wanted);
    std::vector<double> u(2), copies(2);
    const Values of_copies{copies, {.components = 2, .stride = world.rank() == 0 ? 2U : 1U}};
    EXPECT_EQ(error_of([&] {
                GraphExchange(world, graph, {{{u, {.components = 2}}, of_copies}});
              }),
              "Client 'graph' is not the same on all ranks (rank 0: key 0: copies of 2 components, side by side; rank "
              "1: key 0: copies of 2 components, an array each). Create it alike on every rank.");
  });
}

TEST(GraphExchange, without_a_combine_one_copy_replaces_the_owners_value) {
  on(any_ranks, [](Transport& world) {
    const auto rank = static_cast<std::uint64_t>(world.rank()), size = static_cast<std::uint64_t>(world.size());
    const Numbers owned{2 * rank, 2 * rank + 1}, wanted{2 * ((rank + 1) % size)};
    std::vector<double> u{1, 2}, copies{10 + static_cast<double>(rank)};
    GraphExchange replace(world, Graph(world, owned, wanted), {{u, copies}}, GraphFlow::to_owners);
    replace.start();
    replace.finish();
    EXPECT_EQ(u, (std::vector<double>{10 + static_cast<double>((rank + size - 1) % size), 2}));
    if (size == 1) return;
    const Graph all_want_one(world, owned, Numbers{1});
    EXPECT_EQ(
        error_of([&] {
          GraphExchange(world, all_want_one, {{u, copies}}, GraphFlow::to_owners);
        }),
        "Client 'graph', key 0 from rank 0 and client 'graph', key 0 from rank 1 are received into the same memory. "
        "Give each its own memory, or let both combine.");
  });
}

TEST(GraphExchange, refuses_to_combine_copies) {
  on(any_ranks, [](Transport& world) {
    const auto owned = own(world, true);
    std::vector<double> u(100), copies(100);
    EXPECT_EQ(error_of([&] {
                GraphExchange(world, Graph(world, owned, owned), {{u, copies}, {u, copies, sum<double>()}});
              }),
              "Field 1 of a graph's exchange has a combine, but copies get their owners' values. Use "
              "GraphFlow::to_owners.");
  });
}

TEST(GraphExchange, an_array_that_is_too_small_on_one_rank_is_an_error_on_all) {
  on(any_ranks, [](Transport& world) {
    const auto owned = own(world, true);
    const Graph graph(world, owned, owned);
    std::vector<double> u(world.rank() + 1 == world.size() ? 99 : 100), copies(100);
    EXPECT_EQ(
        error_of([&] {
          GraphExchange(world, graph, {{u, copies}});
        }),
        "The owned values of a graph are in an array of 99 elements, which is too short (100 numbers of 1 component, "
        "stride 1, component stride 1). Give at least 100 elements.");
  });
}

TEST(GraphExchange, a_start_that_is_dropped_fails_on_all_ranks) {
  on(Ranks{2, 4}, [](Transport& world) {
    const auto owned = own(world, false);
    Numbers wanted(owned.size());
    const auto ranks = static_cast<std::uint64_t>(world.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = i % ranks * 100 + i;  // of all ranks
    const Graph graph(world, owned, wanted);
    std::vector<double> u(owned.size(), 1), copies(wanted.size());
    {
      GraphExchange add(world, graph, {{u, copies, sum<double>()}}, GraphFlow::to_owners);
      barrier(world);  // a rank that is still in commit() would get another rank's failure there
      const auto error = error_of([&] {
        add.start();
        if (world.rank() == 1) add.fail("on purpose");
        for (int step = 0; step < 100000; ++step) {
          add.finish();
          add.start();
        }
      });
      EXPECT_NE(error.find("on purpose"), std::string::npos) << error;
      EXPECT_TRUE(add.has_failed());
    }
    std::ranges::fill(u, 1);
    std::ranges::fill(copies, 2);
    GraphExchange again(world, graph, {{u, copies, sum<double>()}}, GraphFlow::to_owners);
    again.start();
    again.finish();
    std::vector<double> expected(owned.size(), 1);
    for (std::uint64_t r = 0; r < ranks; ++r)  // all ranks want the same
      for (const auto number : wanted)
        if (number / 100 == static_cast<std::uint64_t>(world.rank())) expected[number % 100] += 2;
    EXPECT_EQ(u, expected);
  });
}

TEST(GraphExchange, start_and_finish_alternate) {
  on(1_ranks, [](Transport& world) {
    const auto owned = own(world, false);
    const Graph graph(world, owned, owned);
    std::vector<double> u(100), copies(100);
    GraphExchange exchange(world, graph, {{u, copies}});
    EXPECT_EQ(error_of([&] { exchange.finish(); }),
              "A graph's exchange is finished before start(). Call start() first.");
    exchange.start();
    exchange.progress();
    exchange.finish();
    exchange.start();
    EXPECT_EQ(error_of([&] { exchange.start(); }),
              "A graph's exchange is started again before finish(). Make a new one after an error.");
    EXPECT_TRUE(exchange.has_failed());
  });
}

// The lists are kept without an entry per position where that is possible; either way they give the same region.
TEST(Places, runs_and_lists_are_the_same_positions) {
  const std::vector<std::vector<std::size_t>> lists{{},
                                                    {7},
                                                    {3, 4, 5},
                                                    {2, 4, 6, 8},
                                                    {9, 8, 7},
                                                    {1, 2, 11, 12, 21, 22},
                                                    {5, 5, 5},
                                                    {0, 1, 7, 8},
                                                    {0, 1, 9, 10, 12, 13},
                                                    {4, 5, 6, 7, 0, 1},
                                                    {1, 2, 3, 9},
                                                    {6, 7, 2, 3}};
  const std::vector<std::size_t> wide{1, std::size_t{1} << 32, 7};
  EXPECT_EQ(Places::of_bytes(Places(wide).bytes()).list(), wide);
  for (const auto& list : lists) {
    const Places places(list);
    EXPECT_EQ(places.list(), list);
    EXPECT_EQ(places.size(), list.size());
    EXPECT_EQ(Places::of_bytes(places.bytes()).list(), list);
    std::vector<int> array(200);
    for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<int>(i);
    for (const auto& layout :
         {ValueLayout{}, ValueLayout{3}, ValueLayout{3, 5, 1}, ValueLayout{3, 1, 40}, ValueLayout{2, 2, 60}}) {
      const auto stride = layout.stride == 0 ? layout.components : layout.stride;
      for (const bool by_component : {false, true}) {
        std::vector<int> packed(list.size() * layout.components), expected;
        Values(array, layout).region(places, by_component).pack(reinterpret_cast<std::byte*>(packed.data()));
        const auto add = [&](std::size_t i, std::size_t c) {
          expected.push_back(static_cast<int>(list[i] * stride + c * layout.component_stride));
        };
        if (by_component)
          for (std::size_t c = 0; c < layout.components; ++c)
            for (std::size_t i = 0; i < list.size(); ++i) add(i, c);
        else
          for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t c = 0; c < layout.components; ++c) add(i, c);
        EXPECT_EQ(packed, expected) << ::testing::PrintToString(list) << " stride " << stride;
      }
    }
  }
}

}  // namespace
}  // namespace weft
