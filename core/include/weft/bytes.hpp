// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] weft {

/// An allocator that leaves new elements uninitialised, for memory that is overwritten before it is read.
template <class T>
struct Uncleared : std::allocator<T> {
  /// The allocator of elements of another type.
  template <class U>
  struct rebind {
    using other = Uncleared<U>;  ///< as containers require
  };
  /// Constructs an element from `values`; without values the element stays uninitialised.
  template <class U, class... A>
  void construct(U* at, A&&... values) {
    if constexpr (sizeof...(A) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<A>(values)...);
    }
  }
};

/// A buffer of bytes that is moved, not copied, between program and exchange. Its new bytes are uninitialised.
using Bytes = std::vector<std::byte, Uncleared<std::byte>>;

}  // namespace weft
