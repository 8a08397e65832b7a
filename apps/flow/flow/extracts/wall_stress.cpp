// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/wall_stress.hpp"

#include <algorithm>

namespace weft::flow {

using geometry::dot;
using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using geometry::Vector;

WallStress::WallStress(const LatticeClient& client, const Scaling& scaling)
    : client_(client), scaling_(scaling), stress_(client.lattice().stress()), fields_(client.lattice().fields()),
      unit_(3 * scaling.pressure_unit()) {}

Tensor WallStress::at_site(std::uint32_t site) const {
  Tensor s;
  for (std::size_t c = 0; c < 6; ++c) s[c] = unit_ * double(stress_.component[c][stress_.slot[site]]);
  return s;
}

Vector WallStress::operator()(const WallSite& wall) const {
  constexpr double near = 0.2;  // voxels
  const auto& n = wall.normal;
  const auto along = [&](const Vector& v) { return v - dot(v, n) * n; };
  const auto s = at_site(wall.site);
  // The wall's force on the fluid is the stress times the normal out of it; the fluid's on the wall is the opposite.
  const Vector drag = along({-(s[0] * n[0] + s[3] * n[1] + s[4] * n[2]), -(s[3] * n[0] + s[1] * n[1] + s[5] * n[2]),
                             -(s[4] * n[0] + s[5] * n[1] + s[2] * n[2])});
  if (client_.lattice().wall() == lattice::Wall::half_way || wall.distance < near) return drag;
  const auto slot = fields_.slot[wall.site];
  const Vector u{fields_.velocity[0][slot], fields_.velocity[1][slot], fields_.velocity[2][slot]};
  const Vector rate = (scaling_.speed(1) / (wall.distance * scaling_.dx)) * along(u);
  const double viscosity = client_.viscosity(std::max<std::int64_t>(client_.fields_step(), 0), geometry::length(rate));
  return (2 * viscosity) * rate - drag;
}

}  // namespace weft::flow
