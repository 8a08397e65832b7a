// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/opening_sites.hpp"

#include <algorithm>
#include <cmath>

#include "lattice/d3q19.hpp"

namespace weft::lattice::detail {

using geometry::dot;
using geometry::operator*;
using geometry::operator-;
using geometry::Vector;

namespace {

/// Velocity over mean velocity where a link is cut: 2 (1 - r^2 / R^2), not below 0, r the distance to the disc's axis.
double parabola(const geometry::Opening& opening, const Vector& point) {
  const Vector d = point - opening.centre;
  const Vector across = d - dot(d, opening.normal) * opening.normal;
  return std::max(0.0, 2 * (1 - dot(across, across) / (opening.radius * opening.radius)));
}

void look(const Task& t, std::size_t x, const double (&f)[19], const Moments<double>& m, Look how) {
  Observation& seen = *t.seen;
  const auto& u = m.velocity;
  const double speed = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  seen.lowest_density = std::min(seen.lowest_density, m.density);
  seen.highest_density = std::max(seen.highest_density, m.density);
  seen.highest_speed_squared = std::max(seen.highest_speed_squared, speed);
  seen.mass += m.density;
  if (how != Look::fields) return;
  const double low = *std::min_element(std::begin(f), std::end(f));
  double change = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double du = u[d] - t.velocity[d][x];
    change += du * du;
    t.velocity[d][x] = u[d];
  }
  t.density[x] = m.density;
  seen.lowest_population = std::min(seen.lowest_population, low);
  seen.change_squared += change;
  seen.speed_squared += speed;
  const bool bad = !(low >= 0) || std::isnan(m.density);
  if (bad && (seen.bad_site < 0 || t.id[x] < seen.bad_site)) seen.bad_site = t.id[x];
}

}  // namespace

OpeningSites::OpeningSites(const geometry::Domain& domain, const SiteOrder& order)
    : edge_(order.edge), interior_(order.interior), states_(domain.openings.size()),
      ticks_(domain.openings.size()) {
  struct Entry {
    std::size_t site;
    OpeningLink link;
  };
  for (const auto& o : domain.openings) normals_.push_back(o.normal);
  std::vector<Entry> entries;
  for (const auto& cut : domain.cuts) {
    const int out = direction_of_link(cut.link);
    if (cut.opening == geometry::Cut::wall || out <= 0) continue;
    const auto& opening = domain.openings[std::size_t(cut.opening)];
    const int in = D3Q19::opposite(out);
    const auto& c = D3Q19::velocity[std::size_t(in)];
    const Vector inward{double(c[0]), double(c[1]), double(c[2])};
    const Vector point = domain.grid.centre(domain.sites[cut.site]) - (cut.distance * domain.grid.voxel) * inward;
    const double factor = 6 * D3Q19::weight[std::size_t(in)] * dot(inward, opening.normal) * parabola(opening, point);
    entries.push_back({number(order.slot[cut.site]), {cut.opening, std::uint8_t(in), factor}});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.site != b.site) return a.site < b.site;
    return a.link.opening != b.link.opening ? a.link.opening < b.link.opening : a.link.direction < b.link.direction;
  });
  const std::size_t sites = edge_.end - edge_.openings + interior_.end - interior_.openings;
  previous_.assign(sites, {1, {0, 0, 0}});
  first_link_.assign(sites + 1, 0);
  for (const auto& e : entries) {
    ++first_link_[e.site + 1];
    links_.push_back(e.link);
  }
  for (std::size_t s = 0; s < sites; ++s) first_link_[s + 1] += first_link_[s];
}

std::size_t OpeningSites::number(std::size_t slot) const {
  if (slot >= edge_.openings && slot < edge_.end) return slot - edge_.openings;
  if (slot >= interior_.openings && slot < interior_.end) return slot - interior_.openings + edge_.end - edge_.openings;
  return SIZE_MAX;
}

void OpeningSites::enter(std::size_t site, double (&f)[19], std::span<double> inflow) {
  const Moments<double>& before = previous_[site];
  double equilibrium_at[19];
  std::int16_t known = -1;  // the opening that equilibrium_at was made for
  for (std::size_t k = first_link_[site]; k < first_link_[site + 1]; ++k) {
    const OpeningLink& link = links_[k];
    const OpeningState& state = states_[std::size_t(link.opening)];
    const double left = f[link.direction];  // pulled from the site itself: what left through this link
    double entered = left;
    if (state.kind == OpeningState::Kind::velocity) {
      entered += link.per_speed * state.speed * before.density;
    } else {
      if (known != link.opening) {
        const Vector& n = normals_[std::size_t(link.opening)];
        const auto& u = before.velocity;
        const double along = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
        const Moments<double> ghost{state.density, {along * n[0], along * n[1], along * n[2]}};
        equilibrium<D3Q19>(ghost, equilibrium_at);
        known = link.opening;
      }
      entered = equilibrium_at[link.direction];
    }
    f[link.direction] = entered;
    inflow[std::size_t(link.opening)] += entered - left;
    // Modulo 2^64: where a flow broke, a number may be anything.
    auto& ticks = ticks_[std::size_t(link.opening)];
    ticks = std::int64_t(std::uint64_t(ticks) + std::uint64_t(std::llround((entered - left) * 0x1p48)));
  }
}

template <template <class, bool> class Collision, bool forced>
void OpeningSites::update_with(const Task& t, const Links& links, Look how, std::size_t first, std::size_t last,
                               std::span<double> inflow) {
  for (std::size_t x = first; x < last; ++x) {
    const std::size_t site = number(x);
    double f[19];
    f[0] = t.from[x];
    for (int i = 1; i < D3Q19::directions; ++i) f[i] = t.from[links.source(x, i)];
    enter(site, f, inflow);
    const auto m = moments<D3Q19, forced>(f, t.relaxation);
    if (how != Look::nothing) look(t, x, f, m, how);
    previous_[site] = m;
    Collision<D3Q19, forced>::collide(f, m, t.relaxation);
    for (std::size_t i = 0; i < D3Q19::directions; ++i) t.to[i * t.stride + x] = f[i];
  }
}

void OpeningSites::update(const Task& t, const Links& links, const Variant& v, std::size_t first, std::size_t last,
                          std::span<double> inflow) {
  if (v.trt && v.forced) update_with<Trt, true>(t, links, v.look, first, last, inflow);
  else if (v.trt) update_with<Trt, false>(t, links, v.look, first, last, inflow);
  else if (v.forced) update_with<Bgk, true>(t, links, v.look, first, last, inflow);
  else update_with<Bgk, false>(t, links, v.look, first, last, inflow);
}

std::size_t OpeningSites::bytes() const {
  return links_.size() * sizeof(OpeningLink) + first_link_.size() * sizeof(std::uint32_t) +
         previous_.size() * sizeof(previous_[0]);
}

}  // namespace weft::lattice::detail
