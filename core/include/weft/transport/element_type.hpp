// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace [[gnu::visibility("default")]] weft {

/// The type of communicated elements, as commit() compares it between ranks: the kind of a number and its size.
/// Characters, bytes, structures and all other types have no code, and agree with every type.
struct ElementType {
  /// The kind of a number. `special`: a type that the caller identifies, for example by a hash of its description.
  enum class Kind : std::uint8_t { none, integer, unsigned_integer, real, complex, boolean, special };

  std::uint32_t code = 0;  ///< 0: no code; otherwise made from the kind and the size (special: the caller's number)

  /// The type of numbers of `bytes` bytes in this machine's byte order.
  static constexpr ElementType number(Kind kind, std::size_t bytes) {
    return {static_cast<std::uint32_t>(kind) << 24 | static_cast<std::uint32_t>(bytes)};
  }
  /// The type that the caller identifies by this number.
  static constexpr ElementType special(std::uint64_t number) {
    return {static_cast<std::uint32_t>(Kind::special) << 24 |
            static_cast<std::uint32_t>((number ^ number >> 24 ^ number >> 48) & 0xffffff)};
  }
  /// The ElementType of T.
  template <class T>
  static constexpr ElementType of();

  /// Whether elements of this type may be received as `other`.
  constexpr bool agrees_with(ElementType other) const { return code == 0 || other.code == 0 || code == other.code; }
  /// The name in numpy, such as "float64".
  std::string name() const;
  bool operator==(const ElementType&) const = default;  ///< the same code
};

namespace detail {
template <class T>
concept ComplexNumber = requires(T value) {
  typename T::value_type;
  value.real();
  value.imag();
}
&&std::is_floating_point_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);
}  // namespace detail

template <class T>
constexpr ElementType ElementType::of() {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<Plain, bool>)
    return number(Kind::boolean, sizeof(T));
  else if constexpr (std::is_same_v<Plain, char> || std::is_same_v<Plain, unsigned char>)
    return {};
  else if constexpr (std::is_integral_v<Plain>)
    return number(std::is_signed_v<Plain> ? Kind::integer : Kind::unsigned_integer, sizeof(T));
  else if constexpr (std::is_floating_point_v<Plain>)
    return number(Kind::real, sizeof(T));
  else if constexpr (detail::ComplexNumber<Plain>)
    return number(Kind::complex, sizeof(T));
  else
    return {};
}

}  // namespace weft
