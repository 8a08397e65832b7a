// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/particles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "weft/error.hpp"
#include "weft/transport/reduction.hpp"

namespace weft::box_program {
namespace {

using Vector = std::array<double, 3>;

// Fixed point: sums are exact in any order. 2^46 allows values up to 1e5, more than a particle of radius 500 needs.
constexpr double scale = 0x1p46;
// Rounds to the nearest; inline, since std::llrint is a call.
std::int64_t to_fixed(double value) { return static_cast<std::int64_t>(value * scale + (value < 0 ? -0.5 : 0.5)); }
double from_fixed(std::int64_t value) { return static_cast<double>(value) / scale; }

// Sites are covered and uncovered one by one: if their mass was returned at once, the fluid's density would oscillate
// by 2 %.
constexpr double paid_back_per_step = 1.0 / 64;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

Particles::Particles(const ParticleOptions& options, const Space& space, lattice::DenseLattice& lattice)
    : options_(options), space_(space), lattice_(lattice), list_(options.list), map_(space) {
  const auto n = list_.size();
  gained_.assign(n * entries, 0);
  sums_.assign(n * entries, 0);
  loads_.resize(n);
  earlier_loads_.resize(n);
  pushes_.resize(n);
  owed_.assign(n, 0);
  share_.assign(n, 0);
  density_.assign(n, 1);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t a = 0; a < space.dimensions; ++a)
      if (const auto extent = static_cast<double>(space.extent[a]); 2 * list_[p].radius > extent)
        throw InputError("Particle " + std::to_string(p) + " has radius " + std::to_string(list_[p].radius) +
                             ", but the box has " + std::to_string(space.extent[a]) + " sites along axis " +
                             std::to_string(a) + ". Use at most half of that.",
                         true);
  map_.rebuild(list_);
}

void Particles::request(Requests& requests) {
  requests.all_reduce<std::int64_t>(std::span<const std::int64_t>(gained_), std::span<std::int64_t>(sums_),
                                    sum<std::int64_t>());
}

double Particles::solid_mass(const Particle& p) const {
  const double r = p.radius, pi = std::numbers::pi;
  return p.density * (space_.dimensions == 3 ? 4.0 / 3 * pi * r * r * r : pi * r * r);
}

double Particles::inertia(const Particle& p) const {
  return (space_.dimensions == 3 ? 0.4 : 0.5) * solid_mass(p) * p.radius * p.radius;
}

void Particles::during(Step& step) {
  if (step.round() != 0) return;
  for (auto& p : list_)
    for (std::size_t a = 0; a < space_.dimensions; ++a) {
      p.position[a] += p.velocity[a];
      const auto n = static_cast<double>(space_.extent[a]);
      if (space_.periodic[a]) p.position[a] -= n * std::floor(p.position[a] / n);
    }
  trouble_ = trouble();
  if (!trouble_.empty()) return;  // the step ends with the old map
  map_.rebuild(list_);
  step.progress();
  list_cuts();
  step.progress();
  repel();
}

// Of a particle that leaves, its centre is at the wall: the repulsion may let it touch, and overlap a little.
std::string Particles::trouble() const {
  constexpr double sound = 0.5773502691896258;  // sites per step
  const auto place = [](const Particle& p) {
    return fmt::format("({:.4g}, {:.4g}, {:.4g})", p.position[0], p.position[1], p.position[2]);
  };
  for (std::size_t p = 0; p < list_.size(); ++p) {
    const auto& one = list_[p];
    for (std::size_t a = 0; a < space_.dimensions; ++a)
      if (const auto n = static_cast<double>(space_.extent[a]);
          !space_.periodic[a] && !(one.position[a] > -0.5 && one.position[a] < n - 0.5))
        return fmt::format("Particle {} left the box through the wall at {}{}, at {}", p,
                           one.position[a] < n / 2 ? '-' : '+', "xyz"[a], place(one));
    if (const double speed = std::sqrt(dot(one.velocity, one.velocity)); !(speed < sound) && !one.fixed)
      return fmt::format("Particle {} has a speed of {:.4g} sites per step (that of sound is {:.3f}), at {}", p, speed,
                         sound, place(one));
    for (std::size_t q = 0; q < p; ++q) {
      const auto& other = list_[q];
      const Vector d = nearest(space_, {one.position[0] - other.position[0], one.position[1] - other.position[1],
                                        one.position[2] - other.position[2]});
      if (std::sqrt(dot(d, d)) < std::max(one.radius, other.radius) && !(one.fixed && other.fixed))
        return fmt::format("Particles {} and {} are one inside the other, at {}", q, p, place(one));
    }
  }
  return "";
}

void Particles::check(std::int64_t steps_done) const {
  if (!trouble_.empty())
    throw Error(fmt::format("{}, after {} steps. Use a larger particles.repulsion_strength, or lighter or slower "
                            "particles.",
                            trouble_, steps_done),
                true);
}

// Every link from a fluid site of this rank's block to a solid one.
void Particles::list_cuts() {
  cuts_.clear();
  const auto& velocities = lattice_.velocities();
  for (const auto& solid : map_.surface()) {
    const auto p = static_cast<std::size_t>(solid.particle);
    const auto arm = arm_of(solid.site, p);
    map_.for_each_link(solid.site, velocities, [&](std::size_t i, const Site& from) {
      Vector middle = arm;
      for (std::size_t a = 0; a < 3; ++a) middle[a] -= 0.5 * velocities[i][a];
      cuts_.push_back({lattice_.link(from, static_cast<int>(i)), p, middle});
    });
  }
}

void Particles::repel() {
  for (auto& push : pushes_) push = {};
  const double range = options_.repulsion_range;
  if (range <= 0) return;
  for (std::size_t p = 0; p < list_.size(); ++p) {
    const auto& one = list_[p];
    for (std::size_t q = p + 1; q < list_.size(); ++q) {
      Vector d;
      for (std::size_t a = 0; a < 3; ++a) d[a] = one.position[a] - list_[q].position[a];
      d = nearest(space_, d);
      const double distance = std::sqrt(dot(d, d)), gap = distance - one.radius - list_[q].radius;
      if (gap >= range || distance == 0) continue;
      const double push = options_.repulsion_strength * (1 - gap / range) / distance;
      for (std::size_t a = 0; a < 3; ++a) {
        pushes_[p][a] += push * d[a];
        pushes_[q][a] -= push * d[a];
      }
    }
    for (std::size_t a = 0; a < space_.dimensions; ++a) {
      if (space_.periodic[a]) continue;
      const double low = one.position[a] + 0.5 - one.radius;
      const double high = static_cast<double>(space_.extent[a]) - 0.5 - one.radius - one.position[a];
      if (low < range) pushes_[p][a] += options_.repulsion_strength * (1 - low / range);
      if (high < range) pushes_[p][a] -= options_.repulsion_strength * (1 - high / range);
    }
  }
}

// The sums of the previous step: forces, the owed mass, the density around.
void Particles::finish(Step&) {
  std::swap(loads_, earlier_loads_);
  for (std::size_t p = 0; p < list_.size(); ++p) {
    const auto* s = &sums_[p * entries];
    auto& load = loads_[p];
    for (std::size_t a = 0; a < 3; ++a) {
      load.force[a] = from_fixed(s[momentum + a]);
      load.torque[a] = from_fixed(s[torque + a]);
    }
    owed_[p] += from_fixed(s[mass]);
    const double w = from_fixed(s[weight]);
    share_[p] = w > 0 ? paid_back_per_step * owed_[p] / w : 0;
    density_[p] = w > 0 ? 1 + from_fixed(s[excess]) / w : 1;
    auto& one = list_[p];
    if (one.fixed) continue;
    // The mean of two steps: momentum that oscillates between even and odd steps is not a force.
    for (std::size_t a = 0; a < space_.dimensions; ++a)
      one.velocity[a] +=
          (0.5 * (load.force[a] + earlier_loads_[p].force[a]) + pushes_[p][a]) / solid_mass(one) + options_.gravity[a];
    for (std::size_t a = 0; a < 3; ++a)
      one.spin[a] += 0.5 * (load.torque[a] + earlier_loads_[p].torque[a]) / inertia(one);
  }
  act();
}

void Particles::act() {
  std::fill(gained_.begin(), gained_.end(), 0);
  for (const auto& change : map_.covered()) {
    if (!map_.is_in_block(change.site)) continue;
    const auto p = static_cast<std::size_t>(change.particle);
    const auto held = lattice_.leaving(change.site);
    add(p, mass, held.mass);
    add_momentum(p, arm_of(change.site, p), held.momentum);
  }
  for (const auto& change : map_.uncovered()) {
    const auto p = static_cast<std::size_t>(change.particle);
    const auto arm = arm_of(change.site, p);
    lattice_.set(change.site, {density_[p], surface_velocity(p, arm)});
    if (!map_.is_in_block(change.site)) continue;
    const auto given = lattice_.leaving(change.site);
    add(p, mass, -given.mass);
    add_momentum(p, arm, {-given.momentum[0], -given.momentum[1], -given.momentum[2]});
  }
  const auto& velocities = lattice_.velocities();
  const auto& weights = lattice_.weights();
  for (const auto& cut : cuts_) {
    const auto i = static_cast<std::size_t>(cut.link.direction);
    const Vector c{static_cast<double>(velocities[i][0]), static_cast<double>(velocities[i][1]),
                   static_cast<double>(velocities[i][2])};
    const double w = weights[i], out = lattice_.outgoing(cut.link);
    const double in = out - 6 * w * dot(c, surface_velocity(cut.particle, cut.arm)) + w * share_[cut.particle];
    lattice_.set_incoming(cut.link, in);
    // The constant part of the pressure, 2 w, cancels around a closed surface; without it, the sums stay small.
    const double exchanged = (out - w) + (in - w);
    add(cut.particle, mass, out - in);
    add(cut.particle, weight, w);
    add(cut.particle, excess, out - w);
    add_momentum(cut.particle, cut.arm, {exchanged * c[0], exchanged * c[1], exchanged * c[2]});
  }
}

void Particles::add(std::size_t particle, Entry entry, double value) {
  gained_[particle * entries + entry] += to_fixed(value);
}

void Particles::add_momentum(std::size_t particle, const Vector& arm, const Vector& p) {
  const auto turn = cross(arm, p);
  auto* sums = &gained_[particle * entries];
  for (std::size_t a = 0; a < 3; ++a) {
    sums[momentum + a] += to_fixed(p[a]);
    sums[torque + a] += to_fixed(turn[a]);
  }
}

Vector Particles::arm_of(const Site& site, std::size_t particle) const {
  Vector arm{};
  for (std::size_t a = 0; a < space_.dimensions; ++a)
    arm[a] = static_cast<double>(site[a]) + static_cast<double>(space_.block.first[a]) - list_[particle].position[a];
  return nearest(space_, arm);
}

Vector Particles::surface_velocity(std::size_t particle, const Vector& arm) const {
  auto u = cross(list_[particle].spin, arm);
  for (std::size_t a = 0; a < 3; ++a) u[a] += list_[particle].velocity[a];
  return u;
}

template <class Self, class Visit>
void Particles::visit_state(Self& self, const Visit& visit) {
  for (std::size_t p = 0; p < self.list_.size(); ++p) {
    auto& one = self.list_[p];
    auto &load = self.loads_[p], &earlier = self.earlier_loads_[p];
    for (auto* v : {&one.position, &one.velocity, &one.spin, &load.force, &load.torque, &earlier.force, &earlier.torque,
                    &self.pushes_[p]})
      for (auto& number : *v) visit(number);
    for (auto* number : {&self.owed_[p], &self.share_[p], &self.density_[p]}) visit(*number);
  }
}

Particles::State Particles::state() const {
  State state{.numbers = {}, .sums = sums_, .gained = gained_};
  visit_state(*this, [&](double number) { state.numbers.push_back(number); });
  return state;
}

void Particles::restore(const State& state) {
  std::size_t numbers = 0;
  visit_state(*this, [&](double) { ++numbers; });
  if (state.numbers.size() != numbers || state.sums.size() != sums_.size() || state.gained.size() != gained_.size())
    throw Error("The checkpoint has another number of particles. Give the case that wrote it.");
  auto from = state.numbers.begin();
  visit_state(*this, [&](double& number) { number = *from++; });
  std::ranges::copy(state.sums, sums_.begin());  // both are registered with the exchange, and keep their addresses
  std::ranges::copy(state.gained, gained_.begin());
  map_.rebuild(list_);
}

Particles::Account Particles::pending() const {
  Account sum;
  for (std::size_t p = 0; p < list_.size(); ++p) {
    sum.mass += from_fixed(gained_[p * entries + mass]);
    for (std::size_t a = 0; a < 3; ++a) sum.momentum[a] += from_fixed(gained_[p * entries + momentum + a]);
  }
  return sum;
}

// A particle has received half of the last load; the other half follows with the next one.
Particles::Account Particles::settled() const {
  Account sum;
  for (std::size_t p = 0; p < list_.size(); ++p) {
    sum.mass += owed_[p];
    for (std::size_t a = 0; a < 3; ++a)
      sum.momentum[a] += solid_mass(list_[p]) * list_[p].velocity[a] + 0.5 * loads_[p].force[a];
  }
  return sum;
}

}  // namespace weft::box_program
