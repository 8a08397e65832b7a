// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "weft/transport/region.hpp"

namespace [[gnu::visibility("default")]] weft {

/// How region() reads a multidimensional view: its address, the number of its axes, and per axis the extent and the
/// distance of elements (in elements). Works for std::mdspan, Kokkos::View and everything with the same members: data()
/// or data_handle(), extent(axis), stride(axis), and rank or rank(). Specialise it for other views.
template <class View>
struct ViewTraits {
  /// The address of element (0, 0, ...).
  static auto data(const View& view) {
    if constexpr (requires { view.data_handle(); })
      return view.data_handle();
    else
      return view.data();
  }
  /// The number of axes.
  static constexpr std::size_t rank() requires requires { View::rank; }
  {
    if constexpr (requires { View::rank(); })
      return static_cast<std::size_t>(View::rank());
    else
      return static_cast<std::size_t>(View::rank);
  }
  /// The number of elements along an axis.
  static std::size_t extent(const View& view, std::size_t axis) requires requires { view.extent(axis); }
  { return static_cast<std::size_t>(view.extent(axis)); }
  /// From one element to the next along an axis.
  static std::size_t stride(const View& view, std::size_t axis) requires requires { view.stride(axis); }
  { return static_cast<std::size_t>(view.stride(axis)); }
};

/// A type that region() can read.
template <class View>
concept MultidimensionalView = requires(const View& view, std::size_t axis) {
  requires std::is_pointer_v<decltype(ViewTraits<View>::data(view))>;
  ViewTraits<View>::rank();
  ViewTraits<View>::extent(view, axis);
  ViewTraits<View>::stride(view, axis);
};

/// The memory of a part: all elements of a view of host memory, in the order of its indices (the last one fastest),
/// whatever the view's layout. So the two ends may have different layouts, and a part of an array is a subview
/// (std::submdspan, Kokkos::subview). The view itself may be destroyed afterwards; its memory stays borrowed.
template <MultidimensionalView View>
Region region(const View& view) {
  using Traits = ViewTraits<View>;
  auto* data = Traits::data(view);
  using T = std::remove_pointer_t<decltype(data)>;
  std::vector<Loop> loops(Traits::rank());
  for (std::size_t axis = 0; axis < loops.size(); ++axis)
    loops[axis] = {Traits::extent(view, axis), Traits::stride(view, axis) * sizeof(T)};
  return strided(data, loops);
}

}  // namespace weft
