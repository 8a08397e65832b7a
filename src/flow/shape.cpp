// SPDX-License-Identifier: BSD-3-Clause
#include "flow/shape.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/outside.hpp"
#include "hemelb/gmy.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

// The file's table has the sites of each block: no block is read.
void look_at_gmy(const Case& c, VesselShape& shape) {
  const auto gmy = hemelb::read_gmy(c.surface.file);
  hemelb::GmyFile file(gmy);
  std::vector<hemelb::BlockRecord> column;
  double sites = 0;
  for (std::uint64_t k = 0; k < gmy.columns(); ++k) {
    file.column(k, column);
    for (const auto& block : column) sites += block.sites;
  }
  shape.volume = sites * std::pow(c.surface.voxel, 3);
  const auto extent = gmy.extent();
  shape.lowest = *c.surface.origin;
  for (std::size_t d = 0; d < 3; ++d) shape.highest[d] = shape.lowest[d] + c.surface.voxel * extent[d];
}

}  // namespace

double VesselShape::longest() const {
  return std::max({highest[0] - lowest[0], highest[1] - lowest[1], highest[2] - lowest[2]});
}

VesselShape read_shape(Transport& transport, const Case& c) {
  VesselShape shape;
  together(transport, [&] {
    if (c.surface.is_gmy()) return look_at_gmy(c, shape);
    shape.surface = geometry::read_stl(c.surface.file, c.surface.metres_per_unit);
    geometry::check_discs(shape.surface, c.discs(), c.surface.file, c.surface.metres_per_unit);
    shape.capped_holes = geometry::close_surface(shape.surface, c.discs(), c.surface.file, c.surface.metres_per_unit);
    shape.volume = geometry::volume_of(shape.surface);
    shape.lowest = shape.highest = shape.surface.vertices.front();
    for (const auto& v : shape.surface.vertices)
      for (std::size_t d = 0; d < 3; ++d) shape.lowest[d] = std::min(shape.lowest[d], v[d]), shape.highest[d] = std::max(shape.highest[d], v[d]);
  });
  return shape;
}

}  // namespace weft::flow
