// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace weft::lattice::detail {

/// Memory for populations: whole cache lines, on large pages if the system has them. Filled with zeros.
class Populations {
 public:
  /// `shift_lines` shifts the start by this number of cache lines, which may be read too.
  explicit Populations(std::size_t values, std::size_t shift_lines = 0);

  double* data() { return data_; }
  const double* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory_;
  double* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Distance between the directions' first sites for `slots` sites, in elements: a multiple of a cache line, and three
/// lines more than a multiple of a page, since streams whose addresses differ by whole pages would fall into few cache
/// sets.
std::size_t direction_stride(std::size_t slots, std::size_t element_bytes = sizeof(double));

}  // namespace weft::lattice::detail
