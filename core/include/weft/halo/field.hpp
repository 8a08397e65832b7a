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

/// Whether the computation of a block reads this component of the ghost points in this direction from the block.
using Reads = std::function<bool(const Direction& direction, std::size_t component)>;

/// All components of all ghost points.
Reads reads_all();
/// Only the ghost points across faces.
Reads reads_faces();
/// The components that a lattice-Boltzmann step reads from neighbouring points, with these velocities (one per
/// component): point p reads component c of point p - velocities[c]. For D3Q19: five per face, one per edge, none at
/// corners.
Reads reads_of_velocities(std::vector<Direction> velocities);

/// Address and layout of one array of the program: a value per component, for each point of this rank's block and its
/// ghost points. The memory is borrowed.
///
/// The array has `layers` ghost points (at least the halo's width) on both sides of the block along every axis. Let s
/// be the number of a point in the array, from 0, where ghost points have numbers too. Component c of this point is
/// element s * site_stride + c * component_stride of the array. For example:
///
///     array_of_structures(f, 19)   site_stride 19, component_stride 1: the components of a point side by side
///     structure_of_arrays(f, 19)   site_stride 1, component_stride 0 (all points of the array): an array per component
struct Field {
  std::byte* data = nullptr;         ///< the array's first element, ghosts included
  std::size_t element_bytes = 0;     ///< size of one value
  std::size_t components = 1;        ///< values per point
  std::size_t site_stride = 1;       ///< in elements
  std::size_t component_stride = 0;  ///< in elements; 0: as many as the array has points
  Order order = Order::row_major;    ///< which axis is contiguous
  ElementType type{};                ///< of a value
  std::size_t layers = 0;            ///< ghost points on each side; 0: the halo's width
  std::size_t pitch = 0;             ///< points from row to row along the contiguous axis; 0: rows are not padded
  /// Which components of which ghost points the computation reads. None: reads_of_velocities(velocities), or if there
  /// are no velocities either, all components in all directions.
  Reads reads{};
  /// The velocities of a lattice-Boltzmann scheme, one per component: the value of component c at point p is used at
  /// point p + velocities[c]. A reverse halo exchange (HaloOptions::Flow::reverse) needs them: it sends component c of
  /// the ghost points p whose p + velocities[c] is in the block.
  std::vector<Direction> velocities{};
  /// The array may have another address in each start, with the same layout: for programs that swap their arrays in any
  /// order. HaloExchange::rebind or HaloClient::rebind sets the address. The data of such a field are always packed.
  bool moves = false;
  std::string name{};  ///< for messages to the user; none: the field's number
};

/// A field with the components of a point side by side.
template <class T>
Field array_of_structures(T* data, std::size_t components, Order order = Order::row_major) {
  return {.data = detail::bytes_at(data),
          .element_bytes = sizeof(T),
          .components = components,
          .site_stride = components,
          .component_stride = 1,
          .order = order,
          .type = ElementType::of<T>()};
}
/// A field with one array per component, one after the other.
template <class T>
Field structure_of_arrays(T* data, std::size_t components, Order order = Order::row_major) {
  return {.data = detail::bytes_at(data),
          .element_bytes = sizeof(T),
          .components = components,
          .order = order,
          .type = ElementType::of<T>()};
}
/// A field with one value per point.
template <class T>
Field scalar(T* data, Order order = Order::row_major) {
  return structure_of_arrays(data, 1, order);
}

/// A field on a rank's block: converts boxes of points to regions of memory.
class PlacedField {
 public:
  /// `block`: points along each axis that the rank owns; `layers`: ghost points on each side, along each axis.
  PlacedField(const Field& field, const Index& block, const Index& layers);

  /// Sets the address of the array.
  void move(std::byte* data) { field_.data = data; }
  /// The field.
  const Field& field() const { return field_; }
  /// The index of an element in the array. Coordinates of `point` start at 0 at the outermost ghost point.
  std::size_t element(const Index& point, std::size_t component) const;
  /// The address of that element.
  std::byte* at(const Index& point, std::size_t component) const {
    return field_.data + element(point, component) * field_.element_bytes;
  }
  /// The region of these components in a box of points: a few nested loops.
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
