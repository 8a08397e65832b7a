// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace weft::device {

/// Memory at two addresses. Of the first no byte can be accessed: the process ends, with a sentence that names the
/// byte. So it does for accesses behind the end of either.
class TwiceMapped {
 public:
  /// `is_open`: the first address can be accessed, too.
  TwiceMapped(std::size_t bytes, bool is_open);
  TwiceMapped(const TwiceMapped&) = delete;
  TwiceMapped& operator=(const TwiceMapped&) = delete;
  ~TwiceMapped();

  std::byte* outside() const { return outside_; }  ///< the address that can't be accessed
  std::byte* inside() const { return inside_; }    ///< the one that can
  std::size_t bytes() const { return bytes_; }     ///< the size

 private:
  struct Area;
  friend struct Faults;

  std::size_t bytes_;
  std::byte *outside_, *inside_;
  Area* area_;
};

}  // namespace weft::device
