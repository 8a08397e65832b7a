// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/graph/graph.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The graph of a sparse matrix, of which each rank has the rows of the numbers that it owns, in compressed rows (CSR)
/// with global columns.
///
/// A rank's vector for the matrix holds its owned values, in the order of `owned`, and behind them the copies of other
/// ranks' values, sorted by owner and number. Local columns are positions in this vector. On two ranks:
///
///     rank  owned  row: global columns   copies  local columns   interior rows  edge rows
///     0     0 1    0: 0 1   1: 0 1 2     2       0 1   0 1 2     0              1
///     1     2 3    2: 1 2 3 3: 2 3       1       2 0 1   0 1     1              0
///
/// So multiply the interior rows while the copies are in flight.
class MatrixGraph {
 public:
  /// Collective; costs a Graph. Row i has the columns columns[row_starts[i]] to columns[row_starts[i + 1] - 1]. Throws
  /// an Error on all ranks as Graph, and if the starts of rows are wrong, or if a rank has 2^32 values or more.
  MatrixGraph(Transport& transport, std::span<const std::uint64_t> owned, std::span<const std::size_t> row_starts,
              std::span<const std::uint64_t> columns);

  /// The global numbers of the copies.
  std::vector<std::uint64_t> copies{};
  /// Of them and of `owned`.
  Graph graph{};
  /// The local columns.
  std::vector<std::uint32_t> columns{};
  /// The rows all of whose columns are owned, ascending.
  std::vector<std::uint32_t> interior{};
  /// The other rows, ascending.
  std::vector<std::uint32_t> edge{};

 private:
  void find_owned_columns(std::span<const std::uint64_t> owned, std::span<const std::size_t> row_starts,
                          std::span<const std::uint64_t> columns);
};

}  // namespace weft
