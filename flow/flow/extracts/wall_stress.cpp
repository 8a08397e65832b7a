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

/// The viscous traction -s n, for the normal n out of the fluid.
Vector traction(const Tensor& s, const Vector& n) {
  return {-(s[0] * n[0] + s[3] * n[1] + s[4] * n[2]), -(s[3] * n[0] + s[1] * n[1] + s[5] * n[2]),
          -(s[4] * n[0] + s[5] * n[1] + s[2] * n[2])};
}

}  // namespace

WallStress::WallStress(Transport& world, const geometry::Domain& domain, const LatticeClient& client,
                       const Scaling& scaling)
    : world_(world), domain_(domain), client_(client), scaling_(scaling) {}

std::span<const WallSite> WallStress::find_walls() {
  if (!is_found_) walls_ = find_surface_sites(domain_, client_.lattice().wall());
  is_found_ = true;
  return walls_;
}

void WallStress::prepare() {
  if (is_prepared_) return;
  is_prepared_ = true;
  find_walls();
  if (client_.lattice().wall() == lattice::Wall::half_way) return;
  near_ = std::make_unique<NearWall>(world_, domain_, walls_);
  for (const auto& wall : walls_) {
    first_entry_.push_back(entries_.size());
    const auto entries = WallFit::weights(wall.normal, near_->around(wall));
    entries_.insert(entries_.end(), entries.begin(), entries.end());
  }
  first_entry_.push_back(entries_.size());
  entries_.shrink_to_fit();
  near_->seal();
}

// Whether a new stress is stored, together with the velocities of the same step. The same on all ranks.
bool WallStress::is_there() const {
  return client_.stress_step() > step_ && client_.stress_step() == client_.fields_step();
}

void WallStress::update() {
  if (!is_there()) return;
  prepare();
  if (near_) near_->update(client_.lattice());
  const SiteStress stress(client_, scaling_);
  drags_.resize(walls_.size());
  for (std::size_t k = 0; k < walls_.size(); ++k) {
    const auto entries = near_ ? std::span(entries_).subspan(first_entry_[k], first_entry_[k + 1] - first_entry_[k])
                               : std::span<const WallFit::Entry>();
    drags_[k] = entries.empty() ? of_site(walls_[k], stress) : fitted(walls_[k], entries, *near_, stress);
  }
  step_ = client_.stress_step();
}

void WallStress::update_once() {
  if (is_prepared_ || client_.lattice().wall() == lattice::Wall::half_way) return update();
  if (!is_there()) return;
  NearWall near(world_, domain_, find_walls());
  near.update(client_.lattice());
  const SiteStress stress(client_, scaling_);
  drags_.resize(walls_.size());
  for (std::size_t k = 0; k < walls_.size(); ++k) {
    const auto entries = WallFit::weights(walls_[k].normal, near.around(walls_[k]));
    drags_[k] = entries.empty() ? of_site(walls_[k], stress) : fitted(walls_[k], entries, near, stress);
  }
  step_ = client_.stress_step();
}

Vector WallStress::fitted(const WallSite& wall, std::span<const WallFit::Entry> entries, const NearWall& near,
                          const SiteStress& stress) const {
  const auto& n = wall.normal;
  const double rate = scaling_.speed(1) / scaling_.dx;
  const bool is_newtonian = stress.is_newtonian();
  const double steady = is_newtonian ? stress.viscosity(0) : 0;
  Vector derivative{};  // derivative of the velocity into the fluid, 1/s
  for (const auto& entry : entries) {
    const auto flow = near.at(entry.place);
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
  constexpr double near = 0.2;  // voxels; below it u / d would only add noise
  const auto& n = wall.normal;
  const Vector drag = along(traction(stress.at(wall.site), n), n);
  if (client_.lattice().wall() == lattice::Wall::half_way || wall.distance < near) return drag;
  const auto fields = client_.lattice().fields();
  const auto slot = fields.slot[wall.site];
  const Vector u{fields.velocity[0][slot], fields.velocity[1][slot], fields.velocity[2][slot]};
  const Vector rate = (scaling_.speed(1) / (wall.distance * scaling_.dx)) * along(u, n);
  return (2 * stress.viscosity(geometry::length(rate))) * rate - drag;
}

}  // namespace weft::flow
