// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/wall_stress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace weft::flow {

double norm(const Tensor& s) {
  return std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

SiteStress::SiteStress(const LatticeClient& client, const Scaling& scaling)
    : client_(client), stress_(client.lattice().stress()), unit_(3 * scaling.pressure_unit()) {}

Tensor SiteStress::at(std::uint32_t site) const {
  Tensor s;
  for (std::size_t c = 0; c < 6; ++c) s[c] = unit_ * double(stress_.component[c][stress_.slot[site]]);
  return s;
}

double SiteStress::viscosity(double shear_rate) const {
  return client_.viscosity(std::max<std::int64_t>(client_.fields_step(), 0), shear_rate);
}

// Solves viscosity(rate) x rate = stress; the stress never decreases with the shear rate.
double SiteStress::shear_rate(double shear_stress) const {
  const double guess = shear_stress / viscosity(0);
  double low = guess, high = guess;  // a lower bound, since the viscosity is highest at rest
  while (high > 0 && viscosity(high) * high < shear_stress) high *= 2;
  for (int k = 0; k < 60 && high - low > 1e-12 * high; ++k) {
    const double middle = (low + high) / 2;
    (viscosity(middle) * middle < shear_stress ? low : high) = middle;
  }
  return high;
}

double SiteStress::viscosity_under(const Tensor& stress) const {
  return viscosity(shear_rate(norm(stress) / std::numbers::sqrt2));
}

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

using geometry::operator+;

WallAverages::WallAverages(const AverageCase& average, bool is_wanted, const Scaling& scaling, std::size_t walls)
    : is_wanted_(is_wanted), every_(std::max<std::int64_t>(1, steps_between(average, scaling))),
      first_(static_cast<std::int64_t>(std::ceil(std::min(average.start / scaling.dt, 1e15) - 1e-6))),
      sums_(is_wanted ? walls : 0) {}

bool WallAverages::takes(std::int64_t step) const { return is_wanted_ && step >= first_ && step % every_ == 0; }

void WallAverages::add(std::span<const geometry::Vector> drags) {
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const auto& drag = drags[k];
    sums_[k].vector = sums_[k].vector + drag;
    sums_[k].magnitude += geometry::length(drag);
  }
  ++samples_;
}

double WallAverages::of(FieldQuantity quantity, const Sum& sum) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (samples_ == 0) return unknown;
  const double vector = geometry::length(sum.vector);
  switch (quantity) {
    case FieldQuantity::mean_wall_shear_stress: return sum.magnitude / static_cast<double>(samples_);
    case FieldQuantity::oscillatory_shear_index:
      return sum.magnitude > 0 ? std::max(0.0, 0.5 * (1 - vector / sum.magnitude)) : 0;
    case FieldQuantity::relative_residence_time: return vector > 0 ? static_cast<double>(samples_) / vector : unknown;
    default: return unknown;
  }
}

}  // namespace weft::flow
