// SPDX-License-Identifier: BSD-3-Clause
#include "view/history.hpp"

#include <algorithm>
#include <utility>

namespace weft::view {

void History::add(std::string row) {
  if (!rows_.empty() && rows_.back().number % stride_ != 0) rows_.pop_back();  // it was kept only as the newest
  if (rows_.size() >= most_) {
    stride_ *= 2;
    std::erase_if(rows_, [this](const Row& old) { return old.number % stride_ != 0; });
  }
  rows_.push_back({next_++, std::move(row)});
}

std::string History::since(std::uint64_t first) const {
  const auto start = std::lower_bound(rows_.begin(), rows_.end(), first,
                                      [](const Row& row, std::uint64_t number) { return row.number < number; });
  std::string result = "[";
  for (auto row = start; row != rows_.end(); ++row) {
    if (row != start) result += ',';
    result += row->values;
  }
  return result += ']';
}

}  // namespace weft::view
