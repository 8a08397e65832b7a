// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/graph/graph.hpp"
#include "weft/transport/transport.hpp"

namespace weft::detail {

/// The numbers that this rank owns: a list, or a range.
class Numbers {
 public:
  explicit Numbers(std::span<const std::uint64_t> list)
      : list_(list), first_(list.empty() ? 0 : list.front()), size_(list.size()) {}
  explicit Numbers(const NumberRange& range) : first_(range.first), size_(range.count) {}

  std::size_t size() const { return size_; }
  std::uint64_t operator[](std::size_t i) const { return list_.empty() ? first_ + i : list_[i]; }
  /// Whether it is a range beyond the largest number.
  bool is_too_long() const { return list_.empty() && size_ > 0 && first_ + (size_ - 1) < first_; }
  /// Whether each is one more than the one before.
  bool are_consecutive() const;

 private:
  std::span<const std::uint64_t> list_{};  // empty: a range
  std::uint64_t first_;
  std::size_t size_;
};

/// Where a number lives.
struct Owner {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::uint64_t index = 0;      ///< position among the owner's numbers
  std::uint32_t rank = nobody;  ///< the owner
};

/// The owners of this rank's wanted numbers.
struct Owners {
  std::vector<Owner> of;  ///< by position in `wanted`
  std::string problem;    ///< what is wrong with the numbers, as far as this rank knows; empty: nothing
};

/// Finds them. Collective; uses the last two tags of the transport. Another collective must follow before the next
/// call.
Owners find_owners(Transport& transport, const Numbers& owned, std::span<const std::uint64_t> wanted);

}  // namespace weft::detail
