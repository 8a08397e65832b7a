// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/site_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace weft::flow {

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
