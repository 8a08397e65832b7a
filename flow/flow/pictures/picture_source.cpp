// SPDX-License-Identifier: BSD-3-Clause
#include "flow/pictures/picture_source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/vessel/wall_sites.hpp"

namespace weft::flow {

using insitu::Quantity;

PictureSource::PictureSource(const geometry::Domain& domain, const Scaling& scaling, const LatticeClient& client,
                             const WallStress* wall_stress, const Snapshot* snapshot)
    : domain_(domain), scaling_(scaling), client_(client), wall_stress_(wall_stress), snapshot_(snapshot) {}

// `density_at`, `velocity_at`: functions of a site, in lattice units.
void PictureSource::fill(Quantity quantity, std::int64_t step, const auto& density_at, const auto& velocity_at,
                         std::span<float> out) const {
  switch (quantity) {
    case Quantity::speed: {
      const double unit = scaling_.speed(1);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(unit * geometry::length(velocity_at(k)));
      break;
    }
    case Quantity::pressure:
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(scaling_.pressure(density_at(k)));
      break;
    case Quantity::wall_shear_stress: {
      std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN());
      const double unit = scaling_.speed(1) / scaling_.dx;
      for (const auto& wall : find_wall_sites(domain_, client_.lattice().wall())) {
        const geometry::Vector u = velocity_at(wall.site);
        const double out_of_fluid = geometry::dot(u, wall.normal);
        const double along = std::sqrt(std::max(0.0, geometry::dot(u, u) - out_of_fluid * out_of_fluid));
        const double shear_rate = unit * along / wall.distance;
        out[wall.site] = static_cast<float>(client_.viscosity(step, shear_rate) * shear_rate);
      }
      break;
    }
  }
}

std::int64_t PictureSource::values(Quantity quantity, std::span<float> out, std::int64_t oldest) const {
  if (snapshot_ != nullptr) {
    fill(
        quantity, snapshot_->step, [&](std::size_t k) { return 1 + static_cast<double>(snapshot_->site(k).excess); },
        [&](std::size_t k) {
          const auto& u = snapshot_->site(k).velocity;
          return geometry::Vector{u[0], u[1], u[2]};
        },
        out);
    return snapshot_->step;
  }
  if (quantity == Quantity::wall_shear_stress && wall_stress_ != nullptr && wall_stress_->step() >= oldest) {
    std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN());
    const auto walls = wall_stress_->walls();
    for (std::size_t k = 0; k < walls.size(); ++k)
      out[walls[k].site] = static_cast<float>(geometry::length(wall_stress_->drags()[k]));
    return wall_stress_->step();
  }
  const auto step = std::max<std::int64_t>(client_.fields_step(), 0);
  const auto fields = client_.lattice().fields();
  if (fields.slot.empty()) {  // no step has stored fields yet
    std::fill(out.begin(), out.end(), quantity == Quantity::pressure ? static_cast<float>(scaling_.pressure(1)) : 0.0F);
    return step;
  }
  const auto& [x, y, z] = fields.velocity;
  fill(
      quantity, step, [&](std::size_t k) { return fields.density[fields.slot[k]]; },
      [&](std::size_t k) {
        const auto s = fields.slot[k];
        return geometry::Vector{x[s], y[s], z[s]};
      },
      out);
  return step;
}

void PictureSource::velocity(std::span<float> out) const {
  const auto fields = client_.lattice().fields();
  const double unit = scaling_.speed(1);
  if (fields.slot.empty()) std::fill(out.begin(), out.end(), 0.0F);
  for (std::size_t k = 0; k < fields.slot.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d) out[3 * k + d] = static_cast<float>(unit * fields.velocity[d][fields.slot[k]]);
}

std::string_view name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::speed: return "speed";
    case Quantity::pressure: return "pressure";
    case Quantity::wall_shear_stress: return "wall shear stress";
  }
  return "?";
}

std::string_view unit_of(Quantity quantity) { return quantity == Quantity::speed ? "m/s" : "Pa"; }

}  // namespace weft::flow
