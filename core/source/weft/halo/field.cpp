// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/field.hpp"

#include <utility>

namespace weft {

Reads reads_all() {
  return [](const Direction&, std::size_t) { return true; };
}

Reads reads_faces() {
  return [](const Direction& d, std::size_t) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] == 1; };
}

Reads reads_of_velocities(std::vector<Direction> velocities) {
  return [v = std::move(velocities)](const Direction& direction, std::size_t component) {
    for (std::size_t a = 0; a < 3; ++a)  // lattices with several speeds: the sign counts
      if (direction[a] * v.at(component)[a] >= 0 && direction[a] != 0) return false;
    return true;
  };
}

PlacedField::PlacedField(const Field& field, const Index& block, const Index& layers) : field_(field), layers_(layers) {
  outermost_ = field.order == Order::row_major ? Index{0, 1, 2} : Index{2, 1, 0};
  std::size_t points = 1;
  for (std::size_t k = 3; k-- > 0;) {
    const auto a = outermost_[k];
    point_stride_[a] = points;
    // The contiguous axis is the last one that the grid has.
    const auto allocated = block[a] + 2 * layers[a];
    points *= points == 1 && allocated > 1 && field.pitch > 0 ? field.pitch : allocated;
  }
  if (field_.component_stride == 0) field_.component_stride = points;
}

std::size_t PlacedField::element(const Index& point, std::size_t component) const {
  std::size_t s = 0;
  for (std::size_t a = 0; a < 3; ++a) s += point[a] * point_stride_[a];
  return s * field_.site_stride + component * field_.component_stride;
}

Region PlacedField::region(const Box& box, const std::vector<std::size_t>& components) const {
  const auto bytes = field_.element_bytes;
  if (components.empty() || box.points() == 0) return {};
  std::vector<Loop> loops;
  for (const auto a : outermost_) loops.push_back({box.count[a], point_stride_[a] * field_.site_stride * bytes});
  // Components are inside or outside of the loops over points, as in memory. Evenly spaced ones are one more loop,
  // unless that would be short rows.
  const auto stride = field_.component_stride * bytes;
  const bool inside = field_.component_stride < field_.site_stride;
  const auto step = components.size() > 1 ? components[1] - components[0] : 1;
  bool even = true;
  for (std::size_t k = 1; k < components.size(); ++k) even = even && components[k] - components[k - 1] == step;
  if (even && (!inside || step == 1)) {
    loops.insert(inside ? loops.end() : loops.begin(), Loop{components.size(), step * stride});
    return make_strided(at(box.first, components.front()), bytes, loops, true).as(field_.type).on(field_.device);
  }
  std::vector<std::size_t> offsets;
  for (const auto c : components) offsets.push_back(c * stride);
  return make_strided(at(box.first, 0), bytes, loops, true, offsets, inside).as(field_.type).on(field_.device);
}

}  // namespace weft
