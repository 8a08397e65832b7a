// SPDX-License-Identifier: BSD-3-Clause
#include "flow/step/pressure_gauge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

using geometry::operator-;

constexpr double nearest = 2, farthest = 8;  // voxels before the plane, or before the sponge there

struct NearSite {
  std::uint32_t site;
  std::int64_t distance;  // in units of a voxel / 1024: exact sums
};
constexpr double unit = 0x1p-10;

std::vector<bool> sites_with_cuts(const geometry::Domain& domain) {
  std::vector<bool> result(domain.sites.size());
  for (const auto& cut : domain.cuts) result[cut.site] = true;
  return result;
}

bool is_in(const geometry::Lumen& lumen, const geometry::Vector& place) {
  const auto p = lumen.plane.flat(place);
  bool inside = false;  // within the outer ring, outside of obstacles
  for (const auto& ring : lumen.rings) inside = inside != geometry::contains(ring, p);
  return inside;
}

std::vector<NearSite> candidates(const geometry::Domain& domain, const std::vector<bool>& has_cuts,
                                 const geometry::Opening& opening, const geometry::Lumen& lumen, double sponge) {
  std::vector<NearSite> result;
  for (std::size_t k = 0; k < domain.sites.size(); ++k) {
    if (has_cuts[k]) continue;
    const auto place = domain.grid.centre(domain.sites[k]);
    const double distance = geometry::dot(place - opening.centre, opening.normal) / domain.grid.voxel;
    if (distance < nearest + sponge || distance >= farthest + sponge || !is_in(lumen, place)) continue;
    result.push_back({static_cast<std::uint32_t>(k), std::llround(distance / unit)});
  }
  return result;
}

std::array<std::int64_t, 4> sum_over_ranks(Transport& transport, const std::array<std::int64_t, 4>& mine) {
  std::array<std::int64_t, 4> all{};
  for (const auto& one : all_gather(transport, mine)) {
    for (std::size_t k = 0; k < 3; ++k) all[k] += one[k];
    all[3] = std::max(all[3], one[3]);
  }
  return all;
}

}  // namespace

std::int64_t PressureGauge::ticks(const lattice::SparseLattice& lattice) const {
  std::vector<double> density(sites.size());
  if (is_inside)
    lattice.density(sites, density);
  else
    std::ranges::transform(sites, density.begin(), [&](std::uint32_t site) { return lattice.opening_density(site); });
  return weighted(density);
}

std::int64_t PressureGauge::seen_ticks(const lattice::SparseLattice& lattice) const {
  std::vector<double> density(sites.size());
  lattice.seen_density(watched, density);
  return weighted(density);
}

std::int64_t PressureGauge::weighted(std::span<const double> density) const {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < density.size(); ++k) sum += ticks_of(weights[k] * (density[k] - 1));
  return sum;
}

std::vector<PressureGauge> make_gauges(Transport& transport, const lattice::SparseLattice& lattice,
                                       const geometry::Domain& domain, std::span<const geometry::Lumen> lumens) {
  constexpr std::int64_t fewest = 12;
  constexpr double least_reach = 6;  // voxels
  std::vector<PressureGauge> gauges;
  const auto has_cuts = sites_with_cuts(domain);
  for (std::size_t k = 0; k < domain.openings.size(); ++k) {
    const auto& opening = domain.openings[k];
    const bool has_lumen = k < lumens.size() && lumens[k].exists();
    auto found =
        candidates(domain, has_cuts, opening, has_lumen ? lumens[k] : geometry::round_lumen(opening), lattice.sponge());
    std::array<std::int64_t, 4> sums{};  // number, distances, their squares; the largest distance
    for (const auto& one : found) {
      ++sums[0];
      sums[1] += one.distance;
      sums[2] += one.distance * one.distance;
      sums[3] = std::max(sums[3], one.distance);
    }
    sums = sum_over_ranks(transport, sums);
    if (sums[0] < fewest || static_cast<double>(sums[3]) * unit < least_reach + lattice.sponge()) {
      gauges.push_back(gauge_at_opening(transport, lattice, domain, k));
      continue;
    }
    // The value at distance 0 of the line of least squares.
    const auto n = static_cast<double>(sums[0]), s = static_cast<double>(sums[1]), q = static_cast<double>(sums[2]);
    PressureGauge gauge{.is_inside = true};
    std::ranges::sort(found, {}, [&](const NearSite& one) { return lattice.slots()[one.site]; });
    for (const auto& one : found) {
      gauge.sites.push_back(one.site);
      gauge.weights.push_back((q - s * static_cast<double>(one.distance)) / (n * q - s * s));
    }
    gauges.push_back(std::move(gauge));
  }
  return gauges;
}

PressureGauge gauge_at_opening(Transport& transport, const lattice::SparseLattice& lattice,
                               const geometry::Domain& domain, std::size_t opening) {
  PressureGauge gauge;
  // ascending by site; the domain has all 26 neighbours, the lattice may have fewer
  for (const auto& cut : domain.cuts) {
    if (cut.opening == geometry::Cut::wall || static_cast<std::size_t>(cut.opening) != opening ||
        !lattice.is_at_opening(cut.site))
      continue;
    if (gauge.sites.empty() || gauge.sites.back() != cut.site) gauge.sites.push_back(cut.site);
  }
  const auto count = sum_over_ranks(transport, {static_cast<std::int64_t>(gauge.sites.size())})[0];
  gauge.weights.assign(gauge.sites.size(), 1 / static_cast<double>(count));
  return gauge;
}

}  // namespace weft::flow
