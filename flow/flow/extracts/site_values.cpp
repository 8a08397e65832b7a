// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/site_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <set>

#include "weft/error.hpp"

namespace weft::flow {

using geometry::dot;
using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using geometry::Position;
using geometry::Vector;

namespace {

std::vector<std::uint32_t> sites_where(const geometry::Domain& domain,
                                       const std::function<bool(std::size_t)>& is_chosen) {
  std::vector<std::uint32_t> sites;
  for (std::size_t s = 0; s < domain.sites.size(); ++s)
    if (is_chosen(s)) sites.push_back(static_cast<std::uint32_t>(s));
  return sites;
}

Position voxel_of(const geometry::Grid& grid, const Vector& point) {
  Position p;
  for (std::size_t d = 0; d < 3; ++d) {
    const double place = std::floor((point[d] - grid.origin[d]) / grid.voxel + 0.5);
    p[d] = static_cast<std::int32_t>(std::clamp(place, -1.0, double(grid.extent[d])));
  }
  return p;
}

// The voxels along a line, sampled every half voxel.
std::set<Position> voxels_along(const geometry::Grid& grid, const Vector& from, const Vector& to) {
  std::set<Position> voxels;
  constexpr double most = 1e7;  // a line is some thousand voxels long
  const double parts = std::min(most, std::ceil(2 * geometry::length(to - from) / grid.voxel) + 1);
  for (double k = 0; k <= parts; ++k) voxels.insert(voxel_of(grid, from + (k / parts) * (to - from)));
  return voxels;
}

}  // namespace

std::vector<WallSite> walls_within(const ExtractCase& extract, const geometry::Domain& domain,
                                   std::span<const WallSite> walls) {
  std::vector<WallSite> result(walls.begin(), walls.end());
  if (extract.radius)
    std::erase_if(result, [&](const WallSite& wall) {
      return geometry::length(domain.grid.centre(domain.sites[wall.site]) - extract.at) > *extract.radius;
    });
  return result;
}

std::vector<std::uint32_t> choose_sites(const ExtractCase& extract, const geometry::Domain& domain,
                                        std::span<const WallSite> walls) {
  using Shape = ExtractCase::Shape;
  const auto& grid = domain.grid;
  switch (extract.shape) {
    case Shape::whole: return sites_where(domain, [](std::size_t) { return true; });
    case Shape::surface: {
      std::vector<std::uint32_t> sites;
      for (const auto& wall : walls_within(extract, domain, walls)) sites.push_back(wall.site);
      return sites;
    }
    case Shape::triangles: return {};
    case Shape::plane: {
      const auto& n = extract.normal;
      // Half-way between two layers the upper one is chosen, independent of rounding.
      const double tie = 1e-6 * grid.voxel;
      const double half = grid.voxel / 2 * (std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]));
      return sites_where(domain, [&](std::size_t s) {
        const auto r = grid.centre(domain.sites[s]) - extract.at;
        const double off = dot(r, n);
        return off > tie - half && off <= tie + half && !(geometry::length(r) > extract.radius.value_or(HUGE_VAL));
      });
    }
    case Shape::centreline: break;  // its cuts have their own sites
    case Shape::line:
    case Shape::point: {
      const auto voxels = voxels_along(grid, extract.at, extract.shape == Shape::line ? extract.to : extract.at);
      return sites_where(domain, [&](std::size_t s) { return voxels.contains(domain.sites[s]); });
    }
  }
  return {};
}

void check_section(const std::string& name, double area_of_all_ranks) {
  if (!(area_of_all_ranks > 0))
    throw InputError(fmt::format("Section '{}' meets no site of the vessel. Move it into the fluid.", name), true);
}

std::vector<SectionSite> section_sites(const SectionCase& section, const geometry::Domain& domain) {
  const auto& n = section.normal;
  const double steepest = std::max({std::abs(n[0]), std::abs(n[1]), std::abs(n[2])});
  std::vector<SectionSite> sites;
  auto cut = domain.cuts.begin();  // ascending by site
  for (std::size_t s = 0; s < domain.sites.size(); ++s) {
    bool beside_wall = false;
    for (; cut != domain.cuts.end() && cut->site == s; ++cut)
      beside_wall = beside_wall || cut->opening == geometry::Cut::wall;
    const auto r = (1 / domain.grid.voxel) * (domain.grid.centre(domain.sites[s]) - section.centre);
    const double off = dot(r, n), beside = std::sqrt(std::max(0.0, dot(r, r) - off * off));
    const double weight = 1 - std::abs(off) / steepest;  // distance in voxels along that axis
    if (weight > 0 && beside * domain.grid.voxel <= section.radius)
      sites.push_back({static_cast<std::uint32_t>(s), weight / steepest, beside_wall});
  }
  return sites;
}

void SectionSum::add(const SectionSite& site, const geometry::Vector& normal,
                     const lattice::SparseLattice::Moments& moments) {
  const auto part = [&](double value) { return TickSum::of(ticks_of(site.weight * value)); };
  flow = flow + part(dot(moments.velocity, normal));
  area = area + part(1);
  auto& of_density = site.beside_wall ? wall_density : density;
  of_density = of_density + part(moments.density - 1);
  if (!site.beside_wall) density_area = density_area + part(1);
}

SectionSum SectionSum::operator+(const SectionSum& other) const {
  return {flow + other.flow, area + other.area, density + other.density, density_area + other.density_area,
          wall_density + other.wall_density};
}

double SectionSum::mean_density() const {
  const bool is_inside = density_area.value() > 0;
  return 1 + (is_inside ? density.value() / density_area.value() : wall_density.value() / area.value());
}

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

SiteValues::SiteValues(const LatticeClient& client, const Scaling& scaling, std::span<const WallSite> walls,
                       const WallStress* wall_stress, const WallAverages* averages)
    : client_(client), scaling_(scaling), walls_(walls), wall_stress_(wall_stress), averages_(averages) {}

template <class Value>
std::vector<double> SiteValues::of_stress(std::span<const std::uint32_t> sites, std::size_t components,
                                          const Value& value) const {
  std::vector<double> result(sites.size() * components, unknown);
  const SiteStress stress(client_, scaling_);
  for (std::size_t k = 0; k < sites.size() && stress.is_there(); ++k)
    value(stress, stress.at(sites[k]), result.data() + k * components);
  return result;
}

std::vector<double> SiteValues::of_walls(FieldQuantity quantity, std::span<const std::uint32_t> sites) const {
  const auto components = traits(quantity).components;
  auto wall_of = [&, from = walls_.begin()](std::uint32_t site) mutable {  // sites are ascending
    from =
        std::lower_bound(from, walls_.end(), site, [](const WallSite& wall, std::uint32_t s) { return wall.site < s; });
    return from != walls_.end() && from->site == site ? from - walls_.begin() : -1;
  };
  std::vector<double> result(sites.size() * components, unknown);
  if (!traits(quantity).of_time) {
    const auto drags = wall_stress_ != nullptr ? wall_stress_->drags() : std::span<const geometry::Vector>();
    for (std::size_t k = 0; k < sites.size() && !drags.empty(); ++k) {
      const auto wall = wall_of(sites[k]);
      if (wall < 0) continue;
      const auto& drag = drags[static_cast<std::size_t>(wall)];
      if (components == 1)
        result[k] = geometry::length(drag);
      else
        std::copy(drag.begin(), drag.end(), result.begin() + std::ptrdiff_t(3 * k));
    }
    return result;
  }
  for (std::size_t k = 0; k < sites.size() && averages_ != nullptr; ++k)
    if (const auto wall = wall_of(sites[k]); wall >= 0)
      result[k] = averages_->of(quantity, averages_->sums()[static_cast<std::size_t>(wall)]);
  return result;
}

std::vector<double> SiteValues::of(FieldQuantity quantity, std::span<const std::uint32_t> sites) const {
  const auto& lattice = client_.lattice();
  const auto fields = lattice.fields();
  std::vector<double> result;
  result.reserve(sites.size() * traits(quantity).components);
  switch (quantity) {
    case FieldQuantity::pressure:
      for (const auto s : sites)
        result.push_back(
            scaling_.pressure(lattice.has_fields() ? fields.density[fields.slot[s]] : lattice.moments(s).density));
      return result;
    case FieldQuantity::velocity:
      for (const auto s : sites)
        for (std::size_t d = 0; d < 3; ++d)
          result.push_back(scaling_.speed(lattice.has_fields() ? fields.velocity[d][fields.slot[s]]
                                                               : lattice.moments(s).velocity[d]));
      return result;
    case FieldQuantity::stress:
      return of_stress(sites, 6, [](const SiteStress&, const Tensor& s, double* out) {
        const Tensor as_in_files = {s[0], s[1], s[2], s[3], s[5], s[4]};
        std::copy(as_in_files.begin(), as_in_files.end(), out);
      });
    case FieldQuantity::von_mises:
      return of_stress(sites, 1,
                       [](const SiteStress&, const Tensor& s, double* out) { *out = std::sqrt(1.5) * norm(s); });
    case FieldQuantity::shear_rate:
      return of_stress(sites, 1, [](const SiteStress& stress, const Tensor& s, double* out) {
        *out = stress.shear_rate(norm(s) / std::numbers::sqrt2);
      });
    case FieldQuantity::viscosity:
      return of_stress(
          sites, 1, [](const SiteStress& stress, const Tensor& s, double* out) { *out = stress.viscosity_under(s); });
    case FieldQuantity::wall_shear_stress:
    case FieldQuantity::wall_shear_stress_magnitude:
    case FieldQuantity::mean_wall_shear_stress:
    case FieldQuantity::oscillatory_shear_index:
    case FieldQuantity::relative_residence_time: return of_walls(quantity, sites);
  }
  return result;
}

}  // namespace weft::flow
