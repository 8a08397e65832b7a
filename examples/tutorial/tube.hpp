// SPDX-License-Identifier: BSD-3-Clause
//
// The computation of all stages of docs/tutorial.md: a quantity that spreads in the wall of a tube. No communication.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// One quantity on n rows of m cells. Rows run along the tube, and the last row lies beside the first; both ends of a
/// row keep their values. Rank r of R owns the rows [r n / R, (r + 1) n / R). Results are bitwise identical on any
/// number of ranks.
class Tube {
 public:
  /// In each step a cell changes by `spread` times the sum of its neighbours' differences to it: at most 0.25.
  Tube(std::size_t n, std::size_t m, int rank, int ranks, double spread)
      : top(m), bottom(m), above(m), below(m), m_(m), first_(share(n, rank, ranks)),
        rows_(share(n, rank + 1, ranks) - first_), spread_(spread), now_(rows_ * m) {
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < m; ++j)
        now_[i * m + j] = static_cast<double>(((first_ + i) * 31 + j * 17) % 101) / 101;
    next_ = now_;
  }

  std::size_t rows() const { return rows_; }
  /// Copies the rows that the neighbours need into `top` and `bottom`.
  void copy_edges() {
    std::copy_n(row(0), m_, top.begin());
    std::copy_n(row(rows_ - 1), m_, bottom.begin());
  }
  /// Computes the next values of the rows [first, last) and returns the largest change. Row 0 reads `above`, the last
  /// row `below`.
  double update(std::size_t first, std::size_t last) {
    double largest = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double *up = i == 0 ? above.data() : row(i - 1), *down = i + 1 == rows_ ? below.data() : row(i + 1);
      const double* here = row(i);
      for (std::size_t j = 1; j + 1 < m_; ++j) {
        const double change = spread_ * (up[j] + down[j] + here[j - 1] + here[j + 1] - 4 * here[j]);
        next_[i * m_ + j] = here[j] + change;
        largest = std::max(largest, std::abs(change));
      }
    }
    return largest;
  }
  /// All rows have been updated: the next values become the present ones.
  void finish_step() { now_.swap(next_); }
  /// A checksum over the bits of my cells, to be summed over all ranks.
  std::uint64_t fingerprint() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < now_.size(); ++i)
      sum += std::bit_cast<std::uint64_t>(now_[i]) * (2 * (first_ * m_ + i) + 1);
    return sum;
  }

  std::vector<double> top, bottom;   ///< rows to send
  std::vector<double> above, below;  ///< rows received

 private:
  static std::size_t share(std::size_t n, int rank, int ranks) {
    return n * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
  }
  const double* row(std::size_t i) const { return &now_[i * m_]; }

  std::size_t m_, first_, rows_;
  double spread_;
  std::vector<double> now_, next_;
};
