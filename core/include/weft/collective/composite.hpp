// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Puts several values, each with its own reduction, into one buffer, so that one reduction combines them all.
///
/// MPI passes no user data to a reduction function, so each process keeps a table of layouts. The buffer begins with
/// the number of its layout there, which is the same on all ranks.
class Composite {
 public:
  /// One of the values.
  struct Value {
    ReductionOfBytes reduction;  ///< how two values are combined
    std::size_t bytes;           ///< size of the value: a multiple of reduction.element_bytes

    /// `count` elements of type T.
    template <class T>
    static Value of(const Reduction<T>& reduction, std::size_t count = 1) {
      return {reduction.of_bytes, count * sizeof(T)};
    }
  };

  /// Adds the layout of these values to the table, until the process ends. Collective. Throws an Error on every rank if
  /// a value has no reduction, or not whole elements of it.
  Composite(Transport& transport, const std::vector<Value>& values);

  /// Size of the buffer: the number of the layout, and all values.
  std::size_t bytes() const { return bytes_; }
  /// The offset of value k in the buffer.
  std::size_t offset(std::size_t k) const { return offsets_[k]; }
  /// Writes the number of the layout into a buffer of bytes(); the caller then writes value k at offset(k).
  void begin(std::byte* buffer) const;
  /// The reduction of such buffers: each is one element of bytes().
  ReductionOfBytes reduction() const;

 private:
  std::uint64_t number_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> offsets_;
  bool commutative_ = true;
};

}  // namespace weft
