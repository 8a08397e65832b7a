// SPDX-License-Identifier: BSD-3-Clause
#include "weft/graph/matrix_graph.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

// The position of each number in a list; of a number that is twice in it, any.
class Positions {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit Positions(std::span<const std::uint64_t> numbers) : numbers_(numbers) {
    for (std::size_t i = 1; is_range_ && i < numbers.size(); ++i) is_range_ = numbers[i] == numbers[i - 1] + 1;
    if (is_range_) return;
    slots_.assign(std::bit_ceil(2 * numbers.size()), none);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) slots_[slot_of(numbers[i])] = i;
  }
  std::uint32_t find(std::uint64_t number) const {
    if (!is_range_) return slots_[slot_of(number)];
    const auto at = numbers_.empty() ? none : number - numbers_.front();
    return at < numbers_.size() ? static_cast<std::uint32_t>(at) : none;
  }

 private:
  // The slot that holds the number, or in which it would be put.
  std::size_t slot_of(std::uint64_t number) const {
    const auto hash = number * 0x9e3779b97f4a7c15U;
    auto slot = (hash ^ (hash >> 32)) & (slots_.size() - 1);
    while (slots_[slot] != none && numbers_[slots_[slot]] != number) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::span<const std::uint64_t> numbers_;
  bool is_range_ = true;
  std::vector<std::uint32_t> slots_;
};

void check_rows(std::size_t owned, std::span<const std::size_t> row_starts, std::size_t columns) {
  if (row_starts.size() != owned + 1)
    throw Error("A matrix has " + std::to_string(row_starts.size()) + " starts of rows for " + std::to_string(owned) +
                " owned numbers. Give one per row, and the end of the last.");
  if (!std::ranges::is_sorted(row_starts) || row_starts.front() != 0 || row_starts.back() != columns)
    throw Error("The starts of a matrix's rows do not ascend from 0 to the number of columns (" +
                std::to_string(columns) + "). Give them as in the CSR format.");
}

void check_size(std::size_t values) {
  if (values >= Positions::none)
    throw Error("A matrix has " + std::to_string(values) +
                " owned values and copies on one rank. Use more ranks: at most 2^32 - 2 values each.");
}

}  // namespace

MatrixGraph::MatrixGraph(Transport& transport, std::span<const std::uint64_t> owned,
                         std::span<const std::size_t> row_starts, std::span<const std::uint64_t> global) {
  together(transport, [&] {
    check_rows(owned.size(), row_starts, global.size());
    check_size(owned.size());
    find_owned_columns(owned, row_starts, global);
    check_size(owned.size() + copies.size());
  });
  graph = Graph::sorted(transport, owned, copies);
  const Positions copied(copies);
  for (const auto i : edge)
    for (auto k = row_starts[i]; k < row_starts[i + 1]; ++k)
      if (columns[k] == Positions::none) columns[k] = static_cast<std::uint32_t>(owned.size()) + copied.find(global[k]);
}

void MatrixGraph::find_owned_columns(std::span<const std::uint64_t> owned, std::span<const std::size_t> row_starts,
                                     std::span<const std::uint64_t> global) {
  const Positions own(owned);
  columns.resize(global.size());
  for (std::uint32_t i = 0; i < owned.size(); ++i) {
    bool is_interior = true;
    for (auto k = row_starts[i]; k < row_starts[i + 1]; ++k) {
      columns[k] = own.find(global[k]);
      if (columns[k] != Positions::none) continue;
      is_interior = false;
      copies.push_back(global[k]);
    }
    (is_interior ? interior : edge).push_back(i);
  }
  std::ranges::sort(copies);
  copies.erase(std::ranges::unique(copies).begin(), copies.end());
}

}  // namespace weft
