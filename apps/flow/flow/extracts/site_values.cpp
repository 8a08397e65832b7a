// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/site_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::flow {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The root of the sum of the squares of all nine.
double norm(const Tensor& s) {
  return std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

}  // namespace

SiteValues::SiteValues(const LatticeClient& client, const Scaling& scaling, std::span<const WallSite> walls,
                       const WallAverages* averages)
    : client_(client), scaling_(scaling), walls_(walls), averages_(averages) {}

template <class Value>
std::vector<double> SiteValues::of_stress(std::span<const std::uint32_t> sites, std::size_t components,
                                          const Value& value) const {
  std::vector<double> result(sites.size() * components, unknown);
  const WallStress stress(client_, scaling_);
  for (std::size_t k = 0; k < sites.size() && stress.is_there(); ++k)
    value(k, stress.at_site(sites[k]), result.data() + k * components);
  return result;
}

// At which the viscosity times it is the stress, which never falls with the shear rate.
double SiteValues::shear_rate(double stress) const {
  const auto step = std::max<std::int64_t>(client_.fields_step(), 0);
  const double guess = stress / client_.viscosity(step, 0);
  double low = guess, high = guess;  // the viscosity is highest at rest
  while (high > 0 && client_.viscosity(step, high) * high < stress) high *= 2;
  for (int k = 0; k < 60 && high - low > 1e-12 * high; ++k) {
    const double middle = (low + high) / 2;
    (client_.viscosity(step, middle) * middle < stress ? low : high) = middle;
  }
  return high;
}

std::vector<double> SiteValues::of_walls(FieldQuantity quantity, std::span<const std::uint32_t> sites) const {
  const auto components = traits(quantity).components;
  auto wall_of = [&, from = walls_.begin()](std::uint32_t site) mutable {  // sites ascend
    from =
        std::lower_bound(from, walls_.end(), site, [](const WallSite& wall, std::uint32_t s) { return wall.site < s; });
    return from != walls_.end() && from->site == site ? from - walls_.begin() : -1;
  };
  std::vector<double> result(sites.size() * components, unknown);
  const WallStress stress(client_, scaling_);
  if (!traits(quantity).of_time) {
    for (std::size_t k = 0; k < sites.size() && stress.is_there(); ++k) {
      const auto wall = wall_of(sites[k]);
      if (wall < 0) continue;
      const auto drag = stress(walls_[static_cast<std::size_t>(wall)]);
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
      return of_stress(sites, 6, [](std::size_t, const Tensor& s, double* out) {
        const Tensor as_in_files = {s[0], s[1], s[2], s[3], s[5], s[4]};
        std::copy(as_in_files.begin(), as_in_files.end(), out);
      });
    case FieldQuantity::von_mises:
      return of_stress(sites, 1, [](std::size_t, const Tensor& s, double* out) { *out = std::sqrt(1.5) * norm(s); });
    case FieldQuantity::shear_rate:
      return of_stress(sites, 1,
                       [&](std::size_t, const Tensor& s, double* out) { *out = shear_rate(norm(s) / std::sqrt(2.0)); });
    case FieldQuantity::viscosity:
      return of_stress(sites, 1, [&](std::size_t, const Tensor& s, double* out) {
        *out =
            client_.viscosity(std::max<std::int64_t>(client_.fields_step(), 0), shear_rate(norm(s) / std::sqrt(2.0)));
      });
    case FieldQuantity::wall_shear_stress:
    case FieldQuantity::wall_shear_stress_magnitude:
    case FieldQuantity::mean_wall_shear_stress:
    case FieldQuantity::oscillatory_shear_index:
    case FieldQuantity::relative_residence_time: return of_walls(quantity, sites);
  }
  return result;
}

}  // namespace weft::flow
