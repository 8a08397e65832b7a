// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace weft::view {

/// Points of curves, thinned out evenly to a maximum number (plus the newest).
///
/// Rows are numbered in order. When there are too many, every other one is deleted, and of later rows only every
/// second, fourth, ... is kept. The newest one is always kept. With at most 4: 0 1 2 3 | 0 2 4 | 0 2 4 5 | 0 2 4 6 | 0
/// 4 7 | 0 4 8 | ...
class History {
 public:
  explicit History(std::size_t most) : most_(most < 2 ? 2 : most) {}

  void add(std::string row);
  /// The number of the next row.
  std::uint64_t next() const { return next_; }
  std::size_t size() const { return rows_.size(); }
  /// "[row,row,...]" of all rows with a number of at least `first`.
  std::string since(std::uint64_t first) const;

 private:
  struct Row {
    std::uint64_t number;
    std::string values;
  };

  std::size_t most_;
  std::uint64_t next_ = 0, stride_ = 1;
  std::deque<Row> rows_;
};

}  // namespace weft::view
