// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/site_stress.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace weft::flow
