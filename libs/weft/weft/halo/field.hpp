// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "weft/halo/cartesian_grid.hpp"
#include "weft/transport/region.hpp"

namespace weft {

/// Which axis of an array is contiguous: the last (C) or the first (Fortran).
enum class Order : unsigned char { row_major, column_major };

/// Whether the computation of a block reads `component` of the ghost points that lie in `direction` from it.
using Reads = std::function<bool(const Direction& direction, std::size_t component)>;

/// All of them.
Reads reads_all();
/// Only those across faces.
Reads reads_faces();
/// Those that a lattice with these velocities (one a component) pulls in one step: a component is read on the side that
/// it comes from. Of D3Q19, five a face, one an edge, none a corner.
Reads reads_of_velocities(std::vector<Direction> velocities);

/// One array of the program on this rank's block and its ghost points: where it lies, and how. The memory is borrowed.
///
/// The array has `layers` ghost points (at least the halo's width) on both sides of the block along every axis.
/// Component c of the point number s in it (in the array's order, ghosts counted) is element
///
///     (s / site_block) * site_block * site_stride + s % site_block + c * component_stride
///
/// and with blocks of one point s * site_stride + c * component_stride. The makers fill in the strides:
///
///     array_of_structures(f, 19)   site_stride 19, component_stride 1: the components of a point side by side
///     structure_of_arrays(f, 19)   site_stride 1, component_stride 0 (all points of the array): one array a component
///     blocked(f, 19, 8)            8 points of a component, then 8 of the next
struct Field {
  std::byte* data = nullptr;         ///< the array's first element, ghosts included
  std::size_t element_bytes = 0;     ///< size of one value
  std::size_t components = 1;        ///< values a point
  std::size_t site_stride = 1;       ///< in elements
  std::size_t component_stride = 0;  ///< in elements; 0: as many as the array has points
  std::size_t site_block = 1;        ///< points of a block
  Order order = Order::row_major;    ///< which axis is contiguous
  std::size_t layers = 0;            ///< 0: the halo's width
  std::size_t pitch = 0;             ///< points from row to row along the contiguous axis; 0: rows are not padded
  Reads reads{};                     ///< none: as `velocities` say, or all components in all directions
  /// Of a field whose components move, one velocity each: what is used of a point p in component c is used by the point
  /// p + velocities[c]. To give ghosts back, a halo has to know.
  std::vector<Direction> velocities{};
  /// Each start may find the array elsewhere, in the same layout (HaloExchange::rebind, HaloClient::rebind): for a
  /// program that swaps its arrays however it likes. What such a field sends is always packed.
  bool moves = false;
  std::string name{};  ///< for a person; none: its number
};

/// The components of a point side by side.
template <class T>
Field array_of_structures(T* data, std::size_t components, Order order = Order::row_major) {
  return {.data = detail::bytes_at(data),
          .element_bytes = sizeof(T),
          .components = components,
          .site_stride = components,
          .component_stride = 1,
          .order = order};
}
/// One array a component, one after the other.
template <class T>
Field structure_of_arrays(T* data, std::size_t components, Order order = Order::row_major) {
  return {.data = detail::bytes_at(data), .element_bytes = sizeof(T), .components = components, .order = order};
}
/// The array holds a whole number of blocks: round its points up.
template <class T>
Field blocked(T* data, std::size_t components, std::size_t site_block, Order order = Order::row_major) {
  return {.data = detail::bytes_at(data),
          .element_bytes = sizeof(T),
          .components = components,
          .site_stride = components,
          .component_stride = site_block,
          .site_block = site_block,
          .order = order};
}
/// One value a point.
template <class T>
Field scalar(T* data, Order order = Order::row_major) {
  return structure_of_arrays(data, 1, order);
}

/// A field placed on a rank's block: turns boxes of points into regions of memory.
class PlacedField {
 public:
  /// `block`: points along each axis that the rank owns; `layers`: ghost points on each side, along each axis.
  PlacedField(const Field& field, const Index& block, const Index& layers);

  /// The array lies elsewhere.
  void move(std::byte* data) { field_.data = data; }
  /// What was placed.
  const Field& field() const { return field_; }
  /// Elements from the beginning of the array. Points count from the array's corner, ghosts included.
  std::size_t element(const Index& point, std::size_t component) const;
  /// Where that element lies.
  std::byte* at(const Index& point, std::size_t component) const {
    return field_.data + element(point, component) * field_.element_bytes;
  }
  /// Those components of a box of points. Blocks of points cost an index an element, all else a few loops.
  Region region(const Box& box, const std::vector<std::size_t>& components) const;
  /// Ghost points on each side, along each axis.
  const Index& layers() const { return layers_; }

 private:
  Field field_;
  Index layers_;
  Index point_stride_;                    // in points
  std::array<std::size_t, 3> outermost_;  // axes, slowest first
};

}  // namespace weft
