// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/wall_stress.hpp"

#include <algorithm>

namespace weft::flow {

using geometry::dot;
using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using geometry::Vector;

namespace {

Vector along(const Vector& v, const Vector& normal) { return v - dot(v, normal) * normal; }

/// The stress across a plane with this normal into the fluid.
Vector traction(const Tensor& s, const Vector& n) {
  return {-(s[0] * n[0] + s[3] * n[1] + s[4] * n[2]), -(s[3] * n[0] + s[1] * n[1] + s[5] * n[2]),
          -(s[4] * n[0] + s[5] * n[1] + s[2] * n[2])};
}

}  // namespace

WallStress::WallStress(Transport& world, const geometry::Domain& domain, std::span<const WallSite> walls,
                       const LatticeClient& client, const Scaling& scaling)
    : walls_(walls), client_(client), scaling_(scaling) {
  if (client.lattice().wall() == lattice::Wall::half_way) return;
  near_ = std::make_unique<NearWall>(world, domain, walls);
  for (const auto& wall : walls) {
    first_entry_.push_back(entries_.size());
    const auto entries = WallFit::weights(wall.normal, near_->around(wall));
    entries_.insert(entries_.end(), entries.begin(), entries.end());
  }
  first_entry_.push_back(entries_.size());
  entries_.shrink_to_fit();
  near_->seal();
}

void WallStress::update() {
  const SiteStress stress(client_, scaling_);
  if (!stress.is_there()) return;
  if (near_) near_->update(client_.lattice());
  drags_.resize(walls_.size());
  for (std::size_t k = 0; k < walls_.size(); ++k) {
    const bool is_fitted = near_ && first_entry_[k + 1] > first_entry_[k];
    drags_[k] = is_fitted ? fitted(k, stress) : of_site(walls_[k], stress);
  }
}

Vector WallStress::fitted(std::size_t wall, const SiteStress& stress) const {
  const auto& n = walls_[wall].normal;
  const double rate = scaling_.speed(1) / scaling_.dx;
  const bool is_newtonian = stress.is_newtonian();
  const double steady = is_newtonian ? stress.viscosity(0) : 0;
  Vector derivative{};  // of the velocity, into the fluid, 1/s
  for (auto k = first_entry_[wall]; k < first_entry_[wall + 1]; ++k) {
    const auto& entry = entries_[k];
    const auto flow = near_->at(entry.place);
    Tensor s;
    for (std::size_t c = 0; c < 6; ++c) s[c] = stress.unit() * double(flow.stress[c]);
    const double viscosity = is_newtonian ? steady : stress.viscosity_under(s);
    derivative = derivative + (double(entry.velocity) * rate) * flow.velocity +
                 (double(entry.gradient) / viscosity) * traction(s, n);
  }
  derivative = along(derivative, n);
  return stress.viscosity(geometry::length(derivative)) * derivative;
}

Vector WallStress::of_site(const WallSite& wall, const SiteStress& stress) const {
  constexpr double near = 0.2;  // voxels, where both are the same and u / d would only add noise
  const auto& n = wall.normal;
  const Vector drag = along(traction(stress.at(wall.site), n), n);
  if (!near_ || wall.distance < near) return drag;
  const auto fields = client_.lattice().fields();
  const auto slot = fields.slot[wall.site];
  const Vector u{fields.velocity[0][slot], fields.velocity[1][slot], fields.velocity[2][slot]};
  const Vector rate = (scaling_.speed(1) / (wall.distance * scaling_.dx)) * along(u, n);
  return (2 * stress.viscosity(geometry::length(rate))) * rate - drag;
}

}  // namespace weft::flow
