// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/transport/element_type.hpp"
#include "weft/transport/reduction.hpp"

namespace [[gnu::visibility("default")]] weft {

namespace device {
class Device;
}

/// One level of a nest of loops over memory.
struct Loop {
  std::size_t count;         ///< iterations
  std::size_t stride_bytes;  ///< from one to the next
};

/// The layout of a region, for code that traverses it itself, such as MPI datatypes. A run of bytes at `base` is
/// repeated by the loops. With offsets, all this (if `offsets_innermost`: each run) is repeated at each of them.
struct RegionLayout {
  std::byte* base;                       ///< where the first run begins
  std::size_t run_bytes;                 ///< length of a run
  std::span<const Loop> loops;           ///< outermost first; valid as long as the region
  std::span<const std::size_t> offsets;  ///< bytes from `base`; none: only at `base`
  bool offsets_innermost;                ///< whether the offsets are traversed inside of the loops
};

/// The memory of a part: contiguous, a box in an array, elements of nested loops, or elements at given indices. It is
/// memory of the host, or of a device (on()).
///
/// A region does not own its memory, which must stay at its address while the exchange exists. It is packed and
/// unpacked in one fixed order (a box: last dimension fastest; loops: last one fastest; indices: as given), so the two
/// ends of a message may have different kinds of regions. Packing costs one copy, in runs that are as long as the
/// region allows.
class Region {
 public:
  Region() = default;

  /// The size in bytes.
  std::size_t bytes() const { return bytes_; }
  /// Whether it is one run of bytes, which can be sent without packing.
  bool is_contiguous() const { return kind_ == Kind::contiguous; }
  /// Whether it may be received into: the memory is not const.
  bool is_writable() const { return writable_; }
  /// The type of the elements, which commit() compares between ranks.
  ElementType type() const { return type_; }
  /// The same region with elements of this type.
  Region as(ElementType type) && {
    type_ = type;
    return std::move(*this);
  }
  /// The same region in memory of a device, such as `contiguous(...).on(device::cuda())`.
  Region on(std::shared_ptr<weft::device::Device> device) && {
    device_ = std::move(device);
    return std::move(*this);
  }
  /// The device whose memory it is; null: the host's.
  const std::shared_ptr<weft::device::Device>& device() const { return device_; }
  std::span<std::byte> run() const { return {base_, bytes_}; }  ///< the bytes of a contiguous region
  /// The layout of a region that is not empty; valid as long as the region.
  RegionLayout layout() const { return {base_, run_bytes_, loops_, offsets_, offsets_innermost_}; }

  /// Whether each run holds whole elements of this size.
  bool has_elements_of(std::size_t element_bytes) const { return bytes_ == 0 || run_bytes_ % element_bytes == 0; }
  /// Calls visit(address, bytes) for each run, in the order of packing.
  void visit(const std::function<void(std::byte*, std::size_t)>& visit) const;
  /// Whether the whole region lies within these bytes.
  bool lies_in(const std::byte* first, std::size_t bytes) const;
  /// The layout, and the position from `origin`, as numbers, for another process that maps the same memory at another
  /// address.
  std::vector<std::uint64_t> numbers(const std::byte* origin) const;

  /// Copies the elements to `out`, which has room for bytes(). Only memory of the host, as the following.
  void pack(std::byte* out) const;
  /// Copies bytes() bytes from `in` to the elements. Only if is_writable().
  void unpack(const std::byte* in) const;
  /// The same, but each element becomes reduction(element, received element). Only if has_elements_of() the reduction's
  /// size.
  void combine(const std::byte* in, const ReductionOfBytes& reduction) const;
  /// Copies the elements to another region of the same size, which must not overlap: in one pass if copies_to(target),
  /// otherwise through `scratch`, which has bytes() bytes.
  void copy(const Region& target, std::byte* scratch) const;
  /// Whether copy() takes one pass: one of the regions is contiguous, both have the same runs in the same loops, or
  /// both have long runs.
  bool copies_to(const Region& target) const;

 private:
  enum class Kind { contiguous, strided, indexed };
  void check_host() const;
  template <class Copy>
  void for_each_run(const Copy& copy) const;
  template <class Size, class Copy>
  void walk(Size run, const Copy& copy) const;
  template <class Visit>
  void walk_loops(std::size_t offset, const Visit& visit) const;

  template <class Size>
  void copy_runs(Size run, const Region& target) const;
  bool has_the_form_of(const Region& target) const;
  void copy_piecewise(const Region& target) const;

  friend Region make_contiguous(std::byte* base, std::size_t bytes, bool writable);
  friend Region make_box(std::byte* base, std::size_t element_bytes, std::span<const std::size_t> extent,
                         std::span<const std::size_t> first, std::span<const std::size_t> count, bool writable);
  friend Region make_strided(std::byte* base, std::size_t element_bytes, std::span<const Loop> loops, bool writable,
                             std::span<const std::size_t> offsets_bytes, bool offsets_innermost);
  friend Region make_indexed(std::byte* base, std::size_t element_bytes, std::span<const std::size_t> index,
                             bool writable);
  friend Region region_of(std::span<const std::uint64_t> numbers, std::byte* origin);

  Kind kind_ = Kind::contiguous;
  bool writable_ = true;
  ElementType type_{};
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t run_bytes_ = 0;         // contiguous: all; strided: innermost run; indexed: one element
  std::vector<Loop> loops_;           // strided: outermost first
  std::vector<std::size_t> offsets_;  // indexed: bytes from base; strided: of one more level, empty if there is none
  bool offsets_innermost_ = false;    // strided: whether that level is inside or outside of all loops
  std::shared_ptr<weft::device::Device> device_;
};

/// Implements contiguous(): `bytes` bytes at `base`.
Region make_contiguous(std::byte* base, std::size_t bytes, bool writable);
/// Implements box(). Throws Error if the box does not lie in the array, or dimensions differ.
Region make_box(std::byte* base, std::size_t element_bytes, std::span<const std::size_t> extent,
                std::span<const std::size_t> first, std::span<const std::size_t> count, bool writable);
/// The elements of nested loops, outermost first, from `base` on; adjacent loops are merged into runs. `offsets_bytes`
/// adds one more level, outside or inside of all loops, with these positions.
Region make_strided(std::byte* base, std::size_t element_bytes, std::span<const Loop> loops, bool writable,
                    std::span<const std::size_t> offsets_bytes = {}, bool offsets_innermost = false);
/// Implements indexed(). Indices count elements, not bytes; consecutive ones make a contiguous region.
Region make_indexed(std::byte* base, std::size_t element_bytes, std::span<const std::size_t> index, bool writable);

/// The region that numbers() described, in the memory that begins at `origin` here.
Region region_of(std::span<const std::uint64_t> numbers, std::byte* origin);

namespace detail {
template <class T>
std::byte* bytes_at(T* p) {
  static_assert(std::is_trivially_copyable_v<T>, "data between ranks are sent as bytes");
  return reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(p));
}
}  // namespace detail

/// A contiguous run of elements.
template <class T>
Region contiguous(std::span<T> elements) {
  return make_contiguous(detail::bytes_at(elements.data()), elements.size_bytes(), !std::is_const_v<T>)
      .as(ElementType::of<T>());
}

/// The elements [first, first + count) of a row-major array (last dimension fastest) of any number of dimensions.
/// `box(array, {ny, nx}, {1, 0}, {2, nx})` is rows 1 and 2.
template <class T>
Region box(T* array, const std::vector<std::size_t>& extent, const std::vector<std::size_t>& first,
           const std::vector<std::size_t>& count) {
  return make_box(detail::bytes_at(array), sizeof(T), extent, first, count, !std::is_const_v<T>)
      .as(ElementType::of<T>());
}

/// The elements of nested loops, outermost first, from `first` on.
/// For structures of four doubles, `strided(&u[3], {{nx, ny * 32}, {ny, 32}})` is the last component at nx x ny sites.
template <class T>
Region strided(T* first, const std::vector<Loop>& loops) {
  return make_strided(detail::bytes_at(first), sizeof(T), loops, !std::is_const_v<T>).as(ElementType::of<T>());
}

/// The elements array[index[0]], array[index[1]], ...
template <class T>
Region indexed(T* array, const std::vector<std::size_t>& index) {
  return make_indexed(detail::bytes_at(array), sizeof(T), index, !std::is_const_v<T>).as(ElementType::of<T>());
}

}  // namespace weft
