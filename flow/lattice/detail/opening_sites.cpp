// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/opening_sites.hpp"

#include <algorithm>
#include <cmath>

namespace weft::lattice::detail {

using geometry::dot;
using geometry::operator*;
using geometry::operator-;
using geometry::Vector;

namespace {

/// Ratio of velocity to mean velocity at a point, for a parabola over the disc; not below 0.
double parabola(const geometry::Opening& opening, const Vector& point) {
  const Vector d = point - opening.centre;
  const Vector across = d - dot(d, opening.normal) * opening.normal;
  return std::max(0.0, 2 * (1 - dot(across, across) / (opening.radius * opening.radius)));
}

}  // namespace

OpeningSites::OpeningSites(const geometry::Domain& domain, const SiteOrder& order, const VelocityTable& set,
                           const Sponge& sponge, double compressible)
    : set_(set), compressible_(compressible), edge_(order.edge), interior_(order.interior),
      states_(domain.openings.size()), profiles_(domain.openings.size()), inflow_(domain.openings.size()) {
  struct Entry {
    std::size_t site;
    OpeningLink link;
    SparseLattice::OpeningLink cut;
  };
  for (const auto& o : domain.openings) normals_.push_back(o.normal);
  std::vector<Entry> entries;
  for (const auto& cut : domain.cuts) {
    const int out = set.direction(cut.link);
    if (cut.opening == geometry::Cut::wall || out <= 0) continue;
    const auto& opening = domain.openings[std::size_t(cut.opening)];
    const auto in = opposite(std::size_t(out));
    const auto& c = set.velocity[in];
    const Vector inward{double(c[0]), double(c[1]), double(c[2])};
    const Vector point = domain.grid.centre(domain.sites[cut.site]) - (0.5 * domain.grid.voxel) * inward;
    const double along = dot(inward, opening.normal);
    entries.push_back({number(order.slot[cut.site]),
                       {cut.opening, std::uint8_t(in), set.weight[in], along, parabola(opening, point)},
                       {cut.site, point, 6 * set.weight[in] * along}});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.site != b.site) return a.site < b.site;
    return a.link.opening != b.link.opening ? a.link.opening < b.link.opening : a.link.direction < b.link.direction;
  });
  const std::size_t sites = edge_.openings_end - edge_.openings + interior_.openings_end - interior_.openings;
  previous_.assign(sites, {1, {0, 0, 0}});
  stress_.resize(sites);
  first_link_.assign(sites + 1, 0);
  for (const auto& e : entries) {
    ++first_link_[e.site + 1];
    links_.push_back(e.link);
    cuts_.push_back(e.cut);
  }
  for (std::size_t s = 0; s < sites; ++s) first_link_[s + 1] += first_link_[s];
  if (!(sponge.length > 0)) return;
  sponge_.assign(sites, 0);
  for (std::size_t k = 0; k < domain.sites.size(); ++k) {
    const auto site = number(order.slot[k]);
    for (const auto& o : domain.openings) {
      if (!sponge.at_inlets && o.kind == geometry::Opening::Kind::inlet) continue;
      const double distance = distance_before(o, domain.grid, domain.sites[k]);
      if (site >= sites || distance < 0 || distance >= sponge.length) continue;
      const double rest = 1 - distance / sponge.length;
      sponge_[site] = std::max(sponge_[site], sponge.viscosity * rest * rest);
    }
  }
}

std::vector<SparseLattice::OpeningLink> OpeningSites::links(std::size_t opening) const {
  std::vector<SparseLattice::OpeningLink> result;
  for (std::size_t k = 0; k < links_.size(); ++k)
    if (std::size_t(links_[k].opening) == opening) result.push_back(cuts_[k]);
  return result;
}

void OpeningSites::set_profiles(std::size_t opening, std::span<const double> values) {
  const auto count = std::size_t(
      std::count_if(links_.begin(), links_.end(), [&](const auto& l) { return std::size_t(l.opening) == opening; }));
  const std::size_t each = count > 0 ? values.size() / count : 0, added = each > 0 ? each - 1 : 0;
  profiles_.at(opening) = {added, std::vector<double>(added)};
  auto from = values.begin();
  for (auto& link : links_) {
    if (std::size_t(link.opening) != opening || each == 0) continue;
    link.profile = *from;
    link.profiles = std::uint32_t(profile_values_.size());
    profile_values_.insert(profile_values_.end(), from + 1, from + std::ptrdiff_t(each));
    from += std::ptrdiff_t(each);
  }
}

void OpeningSites::set_shear(std::size_t opening, std::span<const double> values) {
  auto from = values.begin();
  for (auto& link : links_)
    if (std::size_t(link.opening) == opening) link.shear = *from++;
}

void OpeningSites::set_amplitudes(std::size_t opening, std::span<const double> amplitudes) {
  auto& to = profiles_.at(opening).amplitudes;
  std::copy_n(amplitudes.begin(), std::min(amplitudes.size(), to.size()), to.begin());
}

std::size_t OpeningSites::number(std::size_t slot) const {
  if (slot >= edge_.openings && slot < edge_.openings_end) return slot - edge_.openings;
  if (slot >= interior_.openings && slot < interior_.openings_end)
    return slot - interior_.openings + edge_.openings_end - edge_.openings;
  return SIZE_MAX;
}

void OpeningSites::start_step() { std::fill(inflow_.begin(), inflow_.end(), 0); }

double OpeningSites::calm(const Moments& before, double viscosity) {
  return 1 / (1 + dot(before.velocity, before.velocity) / (9 * viscosity * viscosity));
}

OpeningSites::Entering OpeningSites::entering(std::size_t opening, const Moments& before, double viscosity) const {
  const OpeningState& state = states_[opening];
  if (state.kind == OpeningState::Kind::pressure) {
    const double speed = dot(before.velocity, normals_[opening]);
    const double density = speed > 0 ? state.density * (1 - 3 * state.backflow * speed * speed) : state.density;
    const double mass = inertia(density);
    return {true, density - 1, 3 * mass * speed, 4.5 * mass * speed * speed, 1 - calm(before, viscosity)};
  }
  return {false, state.speed};
}

// f - w of the population that enters through a link.
double OpeningSites::through(const OpeningLink& link, const Entering& e, double left) const {
  if (e.is_pressure) {
    const double r = 1 + e.inertial * link.shear, along = link.along * r;
    return link.weight * (e.even + along * e.odd + (along * along - r * r / 3) * e.square);
  }
  double speed = e.even * link.profile;
  const auto& p = profiles_[std::size_t(link.opening)];
  for (std::size_t k = 0; k < p.count; ++k) speed += p.amplitudes[k] * profile_values_[link.profiles + k];
  return left + 6 * link.weight * link.along * speed;
}

namespace {

constexpr std::size_t axes_of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

/// The second moments of a group's non-equilibrium populations, without their trace.
template <class Scalar>
void second_moments(const VelocityTable& set, const SiteGroup<Scalar>& group, double compressible,
                    double (&second)[6][group_width<Scalar>]) {
  constexpr std::size_t lanes = group_width<Scalar>;
  double excess[lanes] = {}, flux[3][lanes] = {};
  for (auto& component : second) std::fill(component, component + lanes, 0);
  for (std::size_t i = 0; i < set.velocity.size(); ++i) {
    const auto& c = set.velocity[i];
    const auto add = [&](double(&to)[lanes], int factor) {
      for (std::size_t l = 0; l < lanes && factor != 0; ++l) to[l] += factor * static_cast<double>(group.f[i][l]);
    };
    add(excess, 1);
    for (std::size_t d = 0; d < 3; ++d) add(flux[d], c[d]);
    for (std::size_t k = 0; k < 6; ++k) add(second[k], c[axes_of[k][0]] * c[axes_of[k][1]]);
  }
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t l = 0; l < lanes; ++l)
      second[k][l] -= flux[axes_of[k][0]][l] * flux[axes_of[k][1]][l] / (1 + compressible * excess[l]);
  for (std::size_t l = 0; l < lanes; ++l) {
    const double mean = (second[0][l] + second[1][l] + second[2][l]) / 3;
    for (std::size_t k = 0; k < 3; ++k) second[k][l] -= mean;
  }
}

/// c.s.c
double quadratic_form(const std::array<int, 3>& c, const double (&s)[6]) {
  double sum = 0;
  for (std::size_t n = 0; n < 6; ++n) sum += (n < 3 ? 1 : 2) * c[axes_of[n][0]] * c[axes_of[n][1]] * s[n];
  return sum;
}

}  // namespace

// The sponge changes the fraction of the stress that the collision keeps from 1 - 1 / tau to 1 - 1 / (tau + 3 sponge):
// the difference is removed before the collision.
template <class Scalar>
void OpeningSites::soak(std::size_t first_site, std::size_t count, SiteGroup<Scalar>& group, double viscosity) const {
  const double tau = 0.5 + 3 * viscosity;
  constexpr double highest_tau = 0.9;  // at 1 nothing is kept, so nothing can be removed
  if (tau > highest_tau) return;
  double second[6][group_width<Scalar>];
  second_moments(set_, group, compressible_, second);
  for (std::size_t l = 0; l < count; ++l) {
    const double taken = 1 - (1 - 1 / std::min(1.0, tau + 3 * sponge_[first_site + l])) / (1 - 1 / tau);
    double stress[6];
    for (std::size_t n = 0; n < 6; ++n) stress[n] = 4.5 * taken * second[n][l];
    for (std::size_t i = 0; i < set_.velocity.size(); ++i)  // its trace is 0
      group.f[i][l] = static_cast<Scalar>(static_cast<double>(group.f[i][l]) -
                                          set_.weight[i] * quadratic_form(set_.velocity[i], stress));
  }
}

// The second moments of a group's populations, where those entering through viscous openings are first estimated; then
// replaces these by the population without stress plus the stress's part.
template <class Scalar>
void OpeningSites::add_stress(std::size_t first_site, std::size_t count, SiteGroup<Scalar>& group, double viscosity) {
  double second[6][group_width<Scalar>];
  second_moments(set_, group, compressible_, second);
  const double follow = std::min(1.0, viscosity);
  auto passing = passing_.begin();
  for (std::size_t l = 0; l < count; ++l) {
    auto& slow = stress_[first_site + l];
    const double followed = calm(previous_[first_site + l], viscosity);
    bool is_followed = false;  // at a viscous opening; the other sites of the group have no stress
    for (std::size_t k = first_link_[first_site + l]; k < first_link_[first_site + l + 1]; ++k, ++passing) {
      const OpeningLink& link = links_[k];
      if (!states_[std::size_t(link.opening)].viscous) continue;
      for (std::size_t n = 0; n < 6 && !is_followed; ++n) slow[n] += follow * (followed * second[n][l] - slow[n]);
      is_followed = true;
      double stress[6];
      std::copy(slow.begin(), slow.end(), stress);
      group.f[link.direction][l] = static_cast<Scalar>(
          passing->plain + 4.5 * link.weight * quadratic_form(set_.velocity[link.direction], stress));
    }
  }
}

template <class Scalar>
void OpeningSites::enter(std::size_t first_slot, std::size_t count, SiteGroup<Scalar>& group,
                         const std::array<double, 3>& force, double viscosity) {
  constexpr std::size_t lanes = group_width<Scalar>;
  const std::size_t first_site = number(first_slot);
  passing_.clear();
  bool viscous = false;
  for (std::size_t l = 0; l < count; ++l) {
    std::int16_t opening = -1;  // the opening of `e`
    Entering e{};
    const Moments& before = previous_[first_site + l];
    for (std::size_t k = first_link_[first_site + l]; k < first_link_[first_site + l + 1]; ++k) {
      const OpeningLink& link = links_[k];
      if (link.opening != opening) {
        opening = link.opening;
        e = entering(std::size_t(opening), before, viscosity);
      }
      Scalar& f = group.f[link.direction][l];  // the site's own population that left through this link
      const auto left = static_cast<double>(f);
      const double plain = through(link, e, left);
      passing_.push_back({left, plain});
      f = static_cast<Scalar>(plain);
      viscous = viscous || states_[std::size_t(opening)].viscous;
    }
    if (!viscous) continue;
    for (std::size_t k = first_link_[first_site + l]; k < first_link_[first_site + l + 1]; ++k) {
      const OpeningLink& link = links_[k];
      if (!states_[std::size_t(link.opening)].viscous) continue;
      // Equilibria along i and against it differ by 6 w rho c_i.u.
      const auto& c = set_.velocity[link.direction];
      const double along = c[0] * before.velocity[0] + c[1] * before.velocity[1] + c[2] * before.velocity[2];
      group.f[link.direction][l] = static_cast<Scalar>(static_cast<double>(group.f[opposite(link.direction)][l]) +
                                                       6 * link.weight * inertia(before.density) * along);
    }
  }
  if (viscous) add_stress(first_site, count, group, viscosity);
  auto passing = passing_.begin();
  for (std::size_t l = 0; l < count; ++l)
    for (std::size_t k = first_link_[first_site + l]; k < first_link_[first_site + l + 1]; ++k, ++passing) {
      const double ticks =
          (static_cast<double>(group.f[links_[k].direction][l]) - passing->left) / SparseLattice::inflow_unit;
      constexpr double most = 0x1p48;  // a density of 1: beyond, the flow is unstable, which monitors report
      if (!(std::abs(ticks) < most)) continue;
      inflow_[std::size_t(links_[k].opening)] += static_cast<std::int64_t>(ticks + std::copysign(0.5, ticks));
    }

  if (!sponge_.empty()) soak(first_site, count, group, viscosity);

  double excess[lanes] = {}, flux[3][lanes] = {};
  for (std::size_t i = 0; i < set_.velocity.size(); ++i) {
    for (std::size_t l = 0; l < lanes; ++l) excess[l] += static_cast<double>(group.f[i][l]);
    for (std::size_t a = 0; a < 3; ++a) {
      const double c = set_.velocity[i][a];
      if (c == 0) continue;
      for (std::size_t l = 0; l < lanes; ++l) flux[a][l] += c * static_cast<double>(group.f[i][l]);
    }
  }
  for (std::size_t l = 0; l < count; ++l) {
    Moments& m = previous_[first_site + l];
    m.density = 1 + excess[l];
    for (std::size_t a = 0; a < 3; ++a) m.velocity[a] = flux[a][l] / inertia(m.density) + force[a] / 2;
  }
}

template void OpeningSites::enter(std::size_t, std::size_t, SiteGroup<double>&, const std::array<double, 3>&, double);
template void OpeningSites::enter(std::size_t, std::size_t, SiteGroup<float>&, const std::array<double, 3>&, double);

std::size_t OpeningSites::bytes() const {
  return links_.size() * (sizeof(OpeningLink) + sizeof(cuts_[0])) + first_link_.size() * sizeof(std::uint32_t) +
         previous_.size() * (sizeof(previous_[0]) + sizeof(stress_[0])) +
         (sponge_.size() + profile_values_.size()) * sizeof(double);
}

}  // namespace weft::lattice::detail
