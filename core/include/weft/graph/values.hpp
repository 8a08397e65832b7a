// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

#include "weft/transport/region.hpp"

namespace [[gnu::visibility("default")]] weft {

/// How an array holds the values of numbers: component c of number i is element i * stride + c * component_stride.
/// For three components of n numbers:
///
///     {.components = 3}                                          a structure per number: x y z x y z ...
///     {.components = 3, .stride = 1, .component_stride = n}      an array per component: x x ... y y ... z z ...
struct ValueLayout {
  std::size_t components = 1;        ///< values per number
  std::size_t stride = 0;            ///< in elements, from number to number; 0: `components`
  std::size_t component_stride = 1;  ///< in elements, from component to component
};

/// Positions in an array, in the order of a message. They are kept as runs of equal length if they form such runs, and
/// without a list if the runs have equal distances: a contiguous list of any length takes no memory.
class Places {
 public:
  Places() = default;
  /// Keeps these positions.
  explicit Places(std::span<const std::size_t> positions);

  /// The number of positions.
  std::size_t size() const { return count_; }
  /// The position of the i-th value of the message.
  std::size_t operator[](std::size_t i) const {
    const auto run = i / run_;
    return (starts_.empty() ? first_ + run * distance_ : starts_[run]) + i % run_;
  }
  /// Whether they follow each other without gaps.
  bool is_contiguous() const { return count_ == run_ || count_ == 0; }
  /// All positions.
  std::vector<std::size_t> list() const;

  /// As bytes, to be sent: a few for runs of equal distances, otherwise mostly four per run.
  std::vector<std::byte> bytes() const;
  /// From bytes().
  static Places of_bytes(std::span<const std::byte> bytes);

 private:
  friend class Values;
  std::size_t count_ = 0, run_ = 1;       // all positions; positions in a run
  std::size_t first_ = 0, distance_ = 0;  // of the first run, and from run to run, if starts_ is empty
  std::vector<std::size_t> starts_;       // where the runs begin
};

/// The array in which a program has values of numbers, one or several per number. The memory is borrowed.
class Values {
 public:
  /// The elements of a span or a vector. Throws an Error if the layout has no components.
  template <std::ranges::contiguous_range Array>
  requires std::ranges::borrowed_range<Array> Values(Array&& array, const ValueLayout& layout = {})  // NOLINT: implicit
      : Values(make_contiguous(detail::bytes_at(std::ranges::data(array)),
                               std::ranges::size(array) * sizeof(*std::ranges::data(array)),
                               !std::is_const_v<std::remove_pointer_t<decltype(std::ranges::data(array))>>)
                   .as(ElementType::of<std::ranges::range_value_t<Array>>()),
               sizeof(*std::ranges::data(array)), layout) {}
  /// The elements, of `element_bytes` bytes, of a contiguous region.
  Values(const Region& array, std::size_t element_bytes, const ValueLayout& layout);

  /// The layout; its stride is not 0.
  const ValueLayout& layout() const { return layout_; }
  /// Size of a value, in bytes.
  std::size_t element_bytes() const { return element_bytes_; }
  /// Type of a value.
  ElementType type() const { return array_.type(); }
  /// Whether messages with these values hold component by component, and not number by number. An array per component
  /// does so on every rank, even if the rank has one number or none.
  bool is_by_component() const {
    return layout_.components > 1 && (layout_.component_stride == 0 || layout_.component_stride >= layout_.stride);
  }
  /// Throws an Error if the array is too small for so many numbers, or if two of their values share an element. `what`
  /// begins the message, such as "The copies of a graph".
  void check(std::size_t numbers, const char* what) const;
  /// The region of the values of some numbers, by component or by number.
  Region region(const Places& numbers, bool by_component) const;

 private:
  Region array_;
  std::size_t element_bytes_;
  ValueLayout layout_;
};

}  // namespace weft
