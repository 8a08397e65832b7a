// SPDX-License-Identifier: BSD-3-Clause
//
// Collisions of moments about the mean and of cumulants.
#include <cmath>

#include "bench/collisions/collision_model.hpp"

namespace weft::bench {

namespace {

using geometry::Vector;

/// Second-order moments: variances less 1/3, covariances xy, xz, yz.
struct Spread27 {
  Vector variance, mixed;
  double mean() const { return (variance[0] + variance[1] + variance[2]) / 3; }
};

Spread27 spread_in(const CentralMoments& m) {
  return {{m.at[2][0][0] - 1.0 / 3, m.at[0][2][0] - 1.0 / 3, m.at[0][0][2] - 1.0 / 3},
          {m.at[1][1][0], m.at[1][0][1], m.at[0][1][1]}};
}

void set_spread(CentralMoments& m, const Spread27& s) {
  m.at[0][0][0] = 1;
  m.at[1][0][0] = m.at[0][1][0] = m.at[0][0][1] = 0;
  m.at[2][0][0] = s.variance[0] + 1.0 / 3, m.at[0][2][0] = s.variance[1] + 1.0 / 3,
  m.at[0][0][2] = s.variance[2] + 1.0 / 3;
  m.at[1][1][0] = s.mixed[0], m.at[1][0][1] = s.mixed[1], m.at[0][1][1] = s.mixed[2];
}

/// The velocity gradients d u_a / d a, from the stress.
Vector stretching(const Spread27& before, double rate) {
  Vector gradient;
  for (std::size_t a = 0; a < 3; ++a)
    gradient[a] = -1.5 * rate * (before.variance[a] - before.mean()) - 1.5 * before.mean();
  return gradient;
}

/// Relaxes the trace at once, the rest with the rate. framed: with the terms that make the viscosity independent of the
/// velocity (Geier et al. 2015, eqs. 60 to 69). advection: correction of the equilibrium.
Spread27 relaxed(Spread27 before, double rate, bool framed, const Vector& u, const Vector& advection = {}) {
  using geometry::operator-;
  before.variance = before.variance - advection;
  const auto gradient = stretching(before, rate);
  Vector frame{};
  if (framed)
    for (std::size_t a = 0; a < 3; ++a) frame[a] = 3 * u[a] * u[a] * gradient[a];
  const double frames = (frame[0] + frame[1] + frame[2]) / 3;
  Spread27 after;
  for (std::size_t a = 0; a < 3; ++a) {
    after.variance[a] = (1 - rate) * (before.variance[a] - before.mean()) - (1 - rate / 2) * (frame[a] - frames) -
                        frames / 2 + advection[a];
    after.mixed[a] = (1 - rate) * before.mixed[a];
  }
  return after;
}

Bulk moved(const Bulk& bulk, const Vector& force) { return {bulk.density, geometry::operator+(bulk.velocity, force)}; }

/// Populations with the given second-order moments and the third-order moments of `third`, without higher cumulants
/// except those of `fourth`.
SitePopulations without_more(CentralMoments third, const Spread27& second, const Bulk& bulk) {
  set_spread(third, second);
  return populations_of(moments_of(third), bulk);
}

/// Rates and factors of the parametrised cumulant model (Geier et al. 2017, eqs. 14 to 18), with a bulk rate of 1.
struct Parametrised {
  double sum_rate, difference_rate, xyz_rate;  ///< xyy + xzz and so on; xyy - xzz; xyz
  double a, b;                                 ///< of xxyy, of xxyz
  explicit Parametrised(double w) {
    sum_rate = 8 * (w - 2) * (1 + 2 * w) / (-8 - 14 * w + 7 * w * w);
    difference_rate = 8 * (w - 2) * (4 * w - 7) / (56 - 50 * w + 9 * w * w);
    xyz_rate = 24 * (w - 2) * (-2 - 7 * w + 3 * w * w) / (48 + 152 * w - 130 * w * w + 29 * w * w * w);
    a = (4 + 2 * w - 3 * w * w) / (2 - 7 * w + 5 * w * w);
    b = (4 + 28 * w - 14 * w * w) / (6 - 21 * w + 15 * w * w);
  }
};

/// Relaxes a cumulant with a rate that approaches 1 for large cumulants.
double limited(double cumulant, double rate) {
  const double size = std::abs(cumulant);
  return cumulant * (1 - (rate + (1 - rate) * size / (size + 0.01)));
}

}  // namespace

void collide_central_moments(SitePopulations& f, const Fluid& fluid, const SiteInput& site) {
  auto m = maxwellian();
  set_spread(m, relaxed(spread_in(central_moments(f, site.bulk)), fluid.stress_rate, false, site.bulk.velocity));
  f = populations_of(m, moved(site.bulk, fluid.force));
}

void collide_cumulant(SitePopulations& f, const Fluid& fluid, const SiteInput& site) {
  const auto before = central_moments(f, site.bulk);
  const auto& k = before.at;
  const double size = std::abs(k[2][1][0]) + std::abs(k[1][2][0]) + std::abs(k[2][0][1]) + std::abs(k[1][0][2]) +
                      std::abs(k[0][2][1]) + std::abs(k[0][1][2]);
  const double keep = (1 - fluid.odd_rate) * 0.01 / (0.01 + size);
  CentralMoments after;
  after.at[1][1][1] = keep * k[1][1][1];
  after.at[2][1][0] = keep * k[2][1][0], after.at[1][2][0] = keep * k[1][2][0];
  after.at[2][0][1] = keep * k[2][0][1], after.at[1][0][2] = keep * k[1][0][2];
  after.at[0][2][1] = keep * k[0][2][1], after.at[0][1][2] = keep * k[0][1][2];
  f = without_more(after, relaxed(spread_in(before), fluid.stress_rate, true, site.bulk.velocity, site.advection),
                   moved(site.bulk, fluid.force));
}

void collide_cumulant_2015(SitePopulations& f, const Fluid& fluid, const SiteInput& site) {
  const auto before = spread_in(central_moments(f, site.bulk));
  f = without_more({}, relaxed(before, fluid.stress_rate, true, site.bulk.velocity), moved(site.bulk, fluid.force));
}

void collide_cumulant_2017(SitePopulations& f, const Fluid& fluid, const SiteInput& site) {
  const double w = fluid.stress_rate;
  const Parametrised p(w);
  const auto before = central_moments(f, site.bulk);
  const auto& k = before.at;
  const auto spread = spread_in(before);
  CentralMoments after;
  const auto relax_pair = [&p](double one, double other, double& one_after, double& other_after) {
    const double sum = limited(one + other, p.sum_rate), difference = limited(one - other, p.difference_rate);
    one_after = (sum + difference) / 2;
    other_after = (sum - difference) / 2;
  };
  relax_pair(k[1][2][0], k[1][0][2], after.at[1][2][0], after.at[1][0][2]);
  relax_pair(k[2][1][0], k[0][1][2], after.at[2][1][0], after.at[0][1][2]);
  relax_pair(k[2][0][1], k[0][2][1], after.at[2][0][1], after.at[0][2][1]);
  after.at[1][1][1] = limited(k[1][1][1], p.xyz_rate);
  const auto gradient = stretching(spread, w);
  const double scale = 1 / w - 0.5, square = -2.0 / 3 * p.a * scale, mixed = p.b * scale * w;
  after.at[2][2][0] = square * (gradient[0] + gradient[1]);
  after.at[2][0][2] = square * (gradient[0] + gradient[2]);
  after.at[0][2][2] = square * (gradient[1] + gradient[2]);
  after.at[1][1][2] = mixed * spread.mixed[0];
  after.at[1][2][1] = mixed * spread.mixed[1];
  after.at[2][1][1] = mixed * spread.mixed[2];
  f = without_more(after, relaxed(spread, w, true, site.bulk.velocity), moved(site.bulk, fluid.force));
}

}  // namespace weft::bench
