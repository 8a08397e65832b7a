// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace [[gnu::visibility("default")]] weft {

/// An element-wise reduction of two arrays: result[i] = combine(left[i], right[i]), where `left` is of lower ranks.
///
/// This is the form for transports: bytes instead of templates. Programs use Reduction<T>. A built-in operation on a
/// built-in type carries its name, so that MPI's own (faster) operation can be used; all others carry only the
/// function.
struct ReductionOfBytes {
  /// Which of MPI's own operations it is; `user`: none, only `combine` defines it.
  enum class Operation : std::uint8_t { user, sum, minimum, maximum };
  /// The elements' type, if MPI has it; `bytes`: any other.
  enum class Type : std::uint8_t { bytes, int32, int64, uint64, float32, float64 };
  /// Leaves combine(left[i], inout[i]) in inout[i]. Stateless and associative; progress threads call it, too.
  using Combine = void (*)(const void* left, void* inout, std::size_t count);

  Operation operation = Operation::user;  ///< for transports that have a faster implementation
  Type type = Type::bytes;                ///< the elements' type, for these transports
  std::size_t element_bytes = 1;          ///< size of one element
  Combine combine = nullptr;              ///< the function
  bool commutative = true;  ///< whether left and right may be exchanged; if not, ranks are combined in their order
};

/// A reduction of elements of type T, such as sum<T>(). Only arrays of T accept it: a wrong type does not compile.
template <class T>
struct Reduction {
  ReductionOfBytes of_bytes;  ///< the reduction without its type, for Collective
};

/// The smaller of two values. If one is NaN, it returns NaN; whether std::min does so depends on the order.
template <class T>
constexpr T smaller(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    if (b != b) return b;
  return b < a ? b : a;
}
/// The larger of two values; a NaN if one is NaN.
template <class T>
constexpr T larger(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    if (b != b) return b;
  return a < b ? b : a;
}

namespace detail {

template <class T>
constexpr ReductionOfBytes::Type reduction_type() {
  if constexpr (std::is_same_v<T, double>) return ReductionOfBytes::Type::float64;
  if constexpr (std::is_same_v<T, float>) return ReductionOfBytes::Type::float32;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4) return ReductionOfBytes::Type::int32;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8) return ReductionOfBytes::Type::int64;
  if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T> && sizeof(T) == 8) return ReductionOfBytes::Type::uint64;
  return ReductionOfBytes::Type::bytes;
}

// Elements are copied out and in, since a message's bytes need not be aligned for T.
template <class T, class F>
void combine_elements(const void* left, void* inout, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, static_cast<const std::byte*>(left) + i * sizeof(T), sizeof(T));
    std::memcpy(&b, static_cast<std::byte*>(inout) + i * sizeof(T), sizeof(T));
    const T c = F{}(a, b);
    std::memcpy(static_cast<std::byte*>(inout) + i * sizeof(T), &c, sizeof(T));
  }
}

struct Add {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};
struct Smaller {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return smaller(a, b);
  }
};
struct Larger {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return larger(a, b);
  }
};

template <class T, class F>
constexpr Reduction<T> make_reduction(ReductionOfBytes::Operation operation, bool commutative) {
  static_assert(std::is_trivially_copyable_v<T>, "reduced values are sent as bytes");
  return {{operation, reduction_type<T>(), sizeof(T), &combine_elements<T, F>, commutative}};
}

}  // namespace detail

/// left + right, for numbers and all other types with +.
template <class T>
constexpr Reduction<T> sum() {
  return detail::make_reduction<T, detail::Add>(ReductionOfBytes::Operation::sum, true);
}
/// The minimum; a NaN if any value is one. Of -0.0 and 0.0, which are equal, it may be either.
template <class T>
constexpr Reduction<T> minimum() {
  return detail::make_reduction<T, detail::Smaller>(ReductionOfBytes::Operation::minimum, true);
}
/// The maximum; a NaN if any value is one. Of -0.0 and 0.0, which are equal, it may be either.
template <class T>
constexpr Reduction<T> maximum() {
  return detail::make_reduction<T, detail::Larger>(ReductionOfBytes::Operation::maximum, true);
}

/// A user-defined reduction: any trivially copyable T, any stateless associative `T operator()(const T&, const T&)`.
/// `reduction<Monitor>([](const Monitor& a, const Monitor& b) { return merge(a, b); })`
template <class T, class F>
constexpr Reduction<T> reduction(F, bool commutative = true) {
  static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                "a reduction has no state: MPI passes no user data to its function");
  return detail::make_reduction<T, F>(ReductionOfBytes::Operation::user, commutative);
}

}  // namespace weft
