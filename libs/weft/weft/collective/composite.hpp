// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft {

/// Several values, each with a reduction of its own, as one: what lets many reductions travel as a single one.
///
/// MPI gives a reduction function no context, so the values' layout is known to the process by a number, which all
/// ranks agree on and which travels in front of the values.
class Composite {
 public:
  /// One of the values.
  struct Value {
    ReductionOfBytes reduction;  ///< how two of it become one
    std::size_t bytes;           ///< a multiple of reduction.element_bytes

    /// `count` elements of type T.
    template <class T>
    static Value of(const Reduction<T>& reduction, std::size_t count = 1) {
      return {reduction.of_bytes, count * sizeof(T)};
    }
  };

  /// Collective. The layout is kept as long as the process. An Error if a value has no reduction that fits its bytes.
  Composite(Transport& transport, const std::vector<Value>& values);

  /// Size of all of them, with the number in front.
  std::size_t bytes() const { return bytes_; }
  /// Where value k lies.
  std::size_t offset(std::size_t k) const { return offsets_[k]; }
  /// Makes a buffer of bytes() ready to be filled.
  void begin(std::byte* buffer) const;
  /// Of one element of bytes().
  ReductionOfBytes reduction() const;

 private:
  std::uint64_t number_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> offsets_;
  bool commutative_ = true;
};

}  // namespace weft
