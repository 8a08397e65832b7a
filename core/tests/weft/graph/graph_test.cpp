// SPDX-License-Identifier: BSD-3-Clause
//
// Random graphs against a serial reference: which rank owns a number and which wants it is computed by every rank from
// the seed, and so is each value.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/graph/graph.hpp"
#include "weft/graph/graph_exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using Numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

// What each rank owns and wants. The same on every rank for a seed.
struct Plot {
  std::vector<Numbers> owned, wanted;  // by rank
  Numbers all;                         // that somebody owns
};

enum class Kind { ranges, few_gaps, scattered, huge };
constexpr std::array kinds{Kind::ranges, Kind::few_gaps, Kind::scattered, Kind::huge};

Plot random_plot(std::uint64_t seed, int ranks, Kind kind) {
  Random random(hash({seed, static_cast<std::uint64_t>(kind)}));
  Plot plot;
  plot.owned.resize(static_cast<std::size_t>(ranks));
  plot.wanted = plot.owned;
  const auto any_rank = [&] { return random.size_below(static_cast<std::size_t>(ranks)); };
  const auto count = random.chance(10) ? random.size_below(3) : 1 + random.size_below(6000);
  if (kind == Kind::ranges) {  // one range a rank, in any order of ranks, with gaps between them; some are empty
    std::vector<std::size_t> order(plot.owned.size());
    for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
    random.shuffle(order);
    std::uint64_t next = random.chance(2) ? 0 : largest - 14000U * static_cast<std::uint64_t>(ranks);
    for (const auto r : order) {
      next += random.size_below(50);
      for (auto n = random.chance(4) ? 0 : random.size_below(2 * count / order.size() + 2); n > 0; --n)
        plot.owned[r].push_back(next++);
    }
  } else {
    std::uint64_t number = 0;
    auto owner = any_rank();
    for (std::size_t i = 0; i < count; ++i) {
      if (kind == Kind::huge) {
        plot.owned[any_rank()].push_back(hash({seed, i}) | (i % 2 == 0 ? std::uint64_t{1} << 63 : 0));
        continue;
      }
      number += kind == Kind::scattered || random.chance(40) ? 1 + random.size_below(3) : 1;
      if (kind == Kind::scattered || random.chance(100)) owner = any_rank();
      plot.owned[owner].push_back(number);
    }
    if (kind == Kind::huge) {  // the ends of all numbers
      plot.owned[any_rank()].push_back(0);
      plot.owned[any_rank()].push_back(largest);
    }
    if (kind != Kind::few_gaps)
      for (auto& numbers : plot.owned) random.shuffle(numbers);
  }
  for (const auto& numbers : plot.owned) plot.all.insert(plot.all.end(), numbers.begin(), numbers.end());
  for (auto& numbers : plot.wanted) {
    if (plot.all.empty() || random.chance(5)) continue;
    for (auto n = random.size_below(2 * plot.all.size()); n > 0;) {  // some runs, with duplicates
      const auto first = random.size_below(plot.all.size());
      const auto length = std::min({n, plot.all.size() - first, 1 + random.size_below(30)});
      for (std::size_t i = 0; i < length; ++i) numbers.push_back(plot.all[first + i]);
      n -= length;
    }
    if (random.chance(2)) std::ranges::sort(numbers);
  }
  return plot;
}

// A value of a number.
template <class T>
T value_of(std::uint64_t number, std::size_t component, std::uint64_t start) {
  const auto h = hash({number, component, start});
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(h >> 40);
  else
    return static_cast<T>(h);
}

// Two arrays with values of T in random layouts. The memory between the values must not change.
template <class T>
class Fields {
 public:
  Fields(Random& of_all_ranks, Random& of_this_rank, const Numbers& owned, const Numbers& wanted)
      : owned_(owned), wanted_(wanted) {
    components_ = 1 + of_all_ranks.size_below(4);
    const bool each[] = {of_all_ranks.chance(2), of_all_ranks.chance(2)};  // an array per component?
    const std::size_t numbers[] = {owned.size(), wanted.size()};
    for (const std::size_t side : {0U, 1U}) {
      auto& layout = layouts_[side];
      const auto gap = of_this_rank.size_below(3);
      layout = each[side] ? ValueLayout{components_, 1 + gap, numbers[side] * (1 + gap)}
                          : ValueLayout{components_, gap == 0 ? 0 : components_ + gap, 1};
      stride_[side] = layout.stride == 0 ? components_ : layout.stride;
      data_[side].resize(numbers[side] * components_ * 4 + 5);
    }
  }
  Values owned() { return {data_[0], layouts_[0]}; }
  Values copies() { return {data_[1], layouts_[1]}; }
  void fill(std::uint64_t start) {
    for (auto& data : data_) std::ranges::fill(data, untouched);
    for (std::size_t i = 0; i < owned_.size(); ++i)
      for (std::size_t c = 0; c < components_; ++c) at(0, i, c) = value_of<T>(owned_[i], c, start);
    expected_ = data_[1];
  }
  void expect_copies(std::uint64_t start) {
    data_[1].swap(expected_);
    for (std::size_t j = 0; j < wanted_.size(); ++j)
      for (std::size_t c = 0; c < components_; ++c) at(1, j, c) = value_of<T>(wanted_[j], c, start);
    data_[1].swap(expected_);
    EXPECT_TRUE(data_[1] == expected_) << components_ << " components, strides " << stride_[0] << " and " << stride_[1];
  }

 private:
  static constexpr T untouched = static_cast<T>(77);
  T& at(std::size_t side, std::size_t number, std::size_t component) {
    return data_[side][number * stride_[side] + component * layouts_[side].component_stride];
  }

  const Numbers &owned_, &wanted_;
  std::size_t components_ = 1;
  ValueLayout layouts_[2];
  std::size_t stride_[2] = {};
  std::vector<T> data_[2], expected_;
};

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

void try_plot(Transport& world, std::uint64_t seed, Kind kind) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", kind " + std::to_string(static_cast<int>(kind)));
  const auto plot = random_plot(seed, world.size(), kind);
  const auto me = static_cast<std::size_t>(world.rank());
  const auto &owned = plot.owned[me], &wanted = plot.wanted[me];
  const Graph graph(world, owned, wanted);
  expect_right(world, graph, plot);
  Random of_all(seed), of_me(hash({seed, me}));
  Fields<double> a(of_all, of_me, owned, wanted);
  Fields<float> b(of_all, of_me, owned, wanted);
  Fields<std::int64_t> c(of_all, of_me, owned, wanted);
  Fields<std::int16_t> d(of_all, of_me, owned, wanted);
  GraphExchange exchange(
      world, graph,
      {{a.owned(), a.copies()}, {b.owned(), b.copies()}, {c.owned(), c.copies()}, {d.owned(), d.copies()}},
      {.messages = {.grouping = of_all.chance(2) ? Grouping::per_peer : Grouping::per_part}});
  for (std::uint64_t start = 0; start < 3; ++start) {
    a.fill(start), b.fill(start), c.fill(start), d.fill(start);
    exchange.start();
    exchange.finish();
    a.expect_copies(start), b.expect_copies(start), c.expect_copies(start), d.expect_copies(start);
  }
}

TEST(Graph, copies_have_the_values_of_their_owners) {
  on(any_ranks, [](Transport& world) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      for (const auto kind : kinds) try_plot(world, seed, kind);
  });
}

TEST(Graph, copies_have_the_values_of_their_owners_on_many_ranks) {
  on(Ranks{5, 8}, [](Transport& world) {
    for (const auto kind : kinds) try_plot(world, 11, kind);
  });
}

TEST(Graph, sorts_the_copies_so_that_each_owners_are_contiguous) {
  on(any_ranks, [](Transport& world) {
    for (const auto kind : kinds) {
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
  for (const auto& list : lists) {
    const Places places(list);
    EXPECT_EQ(places.list(), list);
    EXPECT_EQ(places.size(), list.size());
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
