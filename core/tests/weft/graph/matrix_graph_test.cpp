// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/graph/graph_exchange.hpp"
#include "weft/graph/matrix_graph.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using Numbers = std::vector<std::uint64_t>;

// The numbers are whole, so that sums are exact in any order.
double entry_of(std::uint64_t row, std::uint64_t column) { return static_cast<double>(hash({row, column}) % 100); }
double x_of(std::uint64_t number) { return static_cast<double>(hash({number}) % 1000); }

struct Rows {
  Numbers owned, columns;
  std::vector<std::size_t> starts{0};
};

// Random rows of a matrix whose numbers have gaps; the rows are dealt out at random, or a range to each rank.
Rows random_rows(const Transport& world, std::uint64_t seed, bool in_ranges) {
  Random random(seed);
  const auto ranks = static_cast<std::size_t>(world.size()), me = static_cast<std::size_t>(world.rank());
  const auto count = random.size_below(800);
  const std::uint64_t distance = in_ranges ? 1 : 1000003;
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto owner = in_ranges ? i * ranks / count : random.size_below(ranks);
    std::set<std::uint64_t> columns{i};
    for (auto n = random.size_below(8); n > 0; --n)
      columns.insert(random.chance(2) ? random.size_below(count) : std::min(i + random.size_below(5), count - 1));
    if (owner != me) continue;
    rows.owned.push_back(i * distance);
    for (const auto c : columns) rows.columns.push_back(c * distance);
    rows.starts.push_back(rows.columns.size());
  }
  return rows;
}

TEST(MatrixGraph, multiplies_interior_rows_before_the_copies_arrive) {
  on(any_ranks, [](Transport& world) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      const auto rows = random_rows(world, seed, seed % 2 == 0);
      const MatrixGraph matrix(world, rows.owned, rows.starts, rows.columns);
      const auto count = rows.owned.size();
      std::vector<double> x(count + matrix.copies.size(), -1e9), y(count, -1e9);
      for (std::size_t i = 0; i < count; ++i) x[i] = x_of(rows.owned[i]);
      const auto multiply = [&](const std::vector<std::uint32_t>& some) {
        for (const auto i : some) {
          EXPECT_EQ(y[i], -1e9);
          y[i] = 0;
          for (auto k = rows.starts[i]; k < rows.starts[i + 1]; ++k)
            y[i] += entry_of(rows.owned[i], rows.columns[k]) * x.at(matrix.columns[k]);
        }
      };
      GraphExchange exchange(world, matrix.graph, {{std::span(x).first(count), std::span(x).subspan(count)}});
      exchange.start();
      multiply(matrix.interior);
      exchange.finish();
      multiply(matrix.edge);
      for (std::size_t i = 0; i < count; ++i) {
        double expected = 0;
        for (auto k = rows.starts[i]; k < rows.starts[i + 1]; ++k)
          expected += entry_of(rows.owned[i], rows.columns[k]) * x_of(rows.columns[k]);
        EXPECT_EQ(y[i], expected) << "row " << rows.owned[i];
      }
      for (const auto& [rank, places] : matrix.graph.owners()) {
        EXPECT_NE(rank, world.rank());
        EXPECT_TRUE(places.is_contiguous());
      }
    }
  });
}

TEST(MatrixGraph, is_as_in_its_description) {
  on(2_ranks, [](Transport& world) {
    using Sizes = std::vector<std::size_t>;
    using Places = std::vector<std::uint32_t>;
    const bool first = world.rank() == 0;
    const Numbers owned = first ? Numbers{0, 1} : Numbers{2, 3},
                  columns = first ? Numbers{0, 1, 0, 1, 2} : Numbers{1, 2, 3, 2, 3};
    const MatrixGraph matrix(world, owned, first ? Sizes{0, 2, 5} : Sizes{0, 3, 5}, columns);
    EXPECT_EQ(matrix.copies, Numbers{first ? 2U : 1U});
    EXPECT_EQ(matrix.columns, (first ? Places{0, 1, 0, 1, 2} : Places{2, 0, 1, 0, 1}));
    EXPECT_EQ(matrix.interior, Places{first ? 0U : 1U});
    EXPECT_EQ(matrix.edge, Places{first ? 1U : 0U});
  });
}

TEST(MatrixGraph, names_rows_that_are_not_csr) {
  on(any_ranks, [](Transport& world) {
    const Numbers owned{static_cast<std::uint64_t>(world.rank())};
    const auto error = [&](const std::vector<std::size_t>& starts, const Numbers& columns) {
      return error_of([&] { MatrixGraph(world, owned, starts, columns); });
    };
    const bool is_last = world.rank() + 1 == world.size();
    EXPECT_EQ(error(is_last ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, 1}, owned),
              "A matrix has 1 starts of rows for 1 owned numbers. Give one per row, and the end of the last.");
    EXPECT_EQ(
        error(is_last ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{0, 1}, owned),
        "The starts of a matrix's rows do not ascend from 0 to the number of columns (1). Give them as in the CSR "
        "format.");
    EXPECT_EQ(error({0, 1}, Numbers{99}),
              "Number 99 is wanted by rank 0, but no rank owns it. Want only numbers that a rank owns.");
  });
}

}  // namespace
}  // namespace weft
