// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/exchange/requests.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/transport/region.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Which axis of an array is contiguous: the last (C) or the first (Fortran).
enum class Order : unsigned char { row_major, column_major };

/// Whether the computation of a block reads this component of the block's ghost points in this direction.
using Reads = std::function<bool(const Direction& direction, std::size_t component)>;

/// All components of all ghost points.
Reads reads_all();
/// Only the ghost points across faces.
Reads reads_faces();
/// The components that a lattice-Boltzmann step with these velocities (one per component) reads from neighbouring
/// points: point p reads component c of point p - velocities[c]. For D3Q19: five per face, one per edge, none at
/// corners.
Reads reads_of_velocities(std::vector<Direction> velocities);

/// Address and layout of one array of the program: a value per component, for each point of this rank's block and its
/// ghost points. The memory is borrowed.
///
/// The array has `layers` ghost points (at least the halo's width) on both sides of the block along every axis. Points
/// are numbered from 0, ghost points included: component c of point s is element s * site_stride + c * component_stride
/// of the array. For example:
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
  /// are no velocities either, all components of all ghost points.
  Reads reads{};
  /// The velocities of a lattice-Boltzmann scheme, one per component: the value of component c at point p is used at
  /// point p + velocities[c]. A reverse halo exchange (HaloOptions::Flow::reverse) then sends component c of the ghost
  /// points p whose p + velocities[c] is in the block.
  std::vector<Direction> velocities{};
  /// Reverse halo exchange: owners combine the values of all ghost points (of the components that `reads` names) with
  /// their own, such as `sum<double>()` to assemble finite elements or to deposit charge. Needed if there are no
  /// velocities. Sums have the same bits in every run (ReceiveOptions::in_any_order is false).
  Combine combine{};
  /// Whether the array may have another address in each start, with the same layout: for programs that swap their
  /// arrays in any order. HaloExchange::rebind or HaloClient::rebind sets the address. Such data are always packed.
  bool moves = false;
  /// The device in whose memory the array is; none: the host's. HaloExchange::start() and StepManager::run_step() then
  /// take a queue.
  std::shared_ptr<device::Device> device{};
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

/// Converts boxes of points of a field on a rank's block to regions of memory.
class PlacedField {
 public:
  /// `block`: points along each axis that the rank owns; `layers`: ghost points on each side, along each axis.
  PlacedField(const Field& field, const Index& block, const Index& layers);

  /// Sets the address of the array.
  void move(std::byte* data) { field_.data = data; }
  /// The field.
  const Field& field() const { return field_; }
  /// The index in the array of a point's component. The coordinates of `point` are 0 at the outermost ghost point.
  std::size_t element(const Index& point, std::size_t component) const;
  /// The address of that element.
  std::byte* at(const Index& point, std::size_t component) const {
    return field_.data + element(point, component) * field_.element_bytes;
  }
  /// The region of these components in a box of points, as a few nested loops.
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
