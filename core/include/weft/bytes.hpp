// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace weft {

/// An allocator that leaves new elements uninitialised: they are overwritten next, and clearing them first would cost
/// as much again.
template <class T>
struct Uncleared : std::allocator<T> {
  /// The same for another type.
  template <class U>
  struct rebind {
    using other = Uncleared<U>;  ///< as containers require
  };
  /// Leaves an element without a value uninitialised.
  template <class U, class... A>
  void construct(U* at, A&&... values) {
    if constexpr (sizeof...(A) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<A>(values)...);
    }
  }
};

/// A byte buffer that a program, or an exchange, passes on.
using Bytes = std::vector<std::byte, Uncleared<std::byte>>;

}  // namespace weft
