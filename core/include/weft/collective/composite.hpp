// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft {

/// Several values, each with its own reduction, in one buffer: many reductions become a single one.
///
/// MPI passes no user data to a reduction function, so each process stores the layouts of the values by number. All
/// ranks agree on the number, which is at the beginning of the buffer.
class Composite {
 public:
  /// One of the values.
  struct Value {
    ReductionOfBytes reduction;  ///< how two values are combined
    std::size_t bytes;           ///< a multiple of reduction.element_bytes

    /// `count` elements of type T.
    template <class T>
    static Value of(const Reduction<T>& reduction, std::size_t count = 1) {
      return {reduction.of_bytes, count * sizeof(T)};
    }
  };

  /// Collective. The layout is kept until the process ends. Throws an Error if a value has no reduction that fits its
  /// bytes.
  Composite(Transport& transport, const std::vector<Value>& values);

  /// Size of the buffer: all values, and the number in front.
  std::size_t bytes() const { return bytes_; }
  /// The offset of value k.
  std::size_t offset(std::size_t k) const { return offsets_[k]; }
  /// Prepares a buffer of bytes() to be filled.
  void begin(std::byte* buffer) const;
  /// The reduction of the buffer: one element of bytes().
  ReductionOfBytes reduction() const;

 private:
  std::uint64_t number_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> offsets_;
  bool commutative_ = true;
};

}  // namespace weft
