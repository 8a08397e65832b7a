// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace weft {

/// Leaves new elements as they are: what is resized here is overwritten next, and clearing it first costs as much
/// again.
template <class T>
struct Uncleared : std::allocator<T> {
  /// The same of another type.
  template <class U>
  struct rebind {
    using other = Uncleared<U>;  ///< what a container asks for
  };
  /// An element without a value stays what it is.
  template <class U, class... A>
  void construct(U* at, A&&... values) {
    if constexpr (sizeof...(A) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<A>(values)...);
    }
  }
};

/// Bytes that a program, or an exchange, hands on.
using Bytes = std::vector<std::byte, Uncleared<std::byte>>;

}  // namespace weft
