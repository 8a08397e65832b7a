// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/rates.hpp"

#include <string>

#include "weft/error.hpp"

namespace weft::lattice::detail {

void check(const Relaxation& p, VelocitySet velocities) {
  if (!(p.tau > 0.5))
    throw InputError("The relaxation time tau is " + std::to_string(p.tau) +
                     " (the viscosity is positive only above 1/2). Give a larger tau.");
  if (uses_magic(p.collision) && !(p.magic > 0))
    throw InputError("The magic number is " + std::to_string(p.magic) +
                     " (it must be positive). Use for example 3/16.");
  if (p.incompressible && p.collision != Collision::cumulant)
    throw InputError("The incompressible formulation was requested for the collision " +
                     std::string(name_of(p.collision)) + " (only cumulants have it). Use cumulant.");
  if (p.collision == Collision::cumulant && !has_cumulants(velocities))
    throw InputError("The collision cumulant was requested for " + std::string(name_of(velocities)) +
                     " (it has too few velocities). Use D3Q19 or D3Q27.");
}

template <class Scalar>
Rates<Scalar> rates_of(const Relaxation& p) {
  const auto as = [](double x) { return static_cast<Scalar>(x); };
  const double shear = 1 / p.tau;
  Rates<Scalar> rates{};
  // A rate and its complement must add up to exactly 1.
  const auto split = [&](double rate, Scalar& kept) {
    kept = 1 - as(rate);
    const Scalar exact = 1 - kept;
    kept /= 2;
    return exact;
  };
  const double beyond = p.collision == Collision::mrt && p.ghost_tau > 0 ? 1 / p.ghost_tau : 1;
  rates.even = split(p.has_many_rates() ? beyond : shear, rates.keep_even);
  const double odd_rate = p.collision == Collision::bgk           ? shear
                          : p.collision == Collision::regularised ? 1
                                                                  : 1 / (p.magic / (p.tau - 0.5) + 0.5);
  rates.odd = split(odd_rate, rates.keep_odd);
  const double even = static_cast<double>(rates.even), odd = static_cast<double>(rates.odd);
  rates.square = as(4.5 * even);
  rates.shear = as(4.5 * (shear - even));
  rates.bulk = as(4.5 * ((p.collision == Collision::mrt && p.bulk_tau > 0 ? 1 / p.bulk_tau : shear) - even));
  rates.stress = as(shear);
  rates.third = as(1 / (p.magic / (p.tau - 0.5) + 0.5));
  rates.trace = as(p.bulk_tau > 0 ? 1 / p.bulk_tau : 1);
  rates.compressible = as(p.compressible());
  for (std::size_t a = 0; a < 3; ++a) {
    rates.half_force[a] = as(p.force[a] / 2);
    rates.even_force[a] = as(9 * (1 - even / 2) * p.force[a]);
    rates.odd_force[a] = as((1 - odd / 2) * p.force[a]);
  }
  return rates;
}

template Rates<double> rates_of<double>(const Relaxation&);
template Rates<float> rates_of<float>(const Relaxation&);

}  // namespace weft::lattice::detail
