// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/rates.hpp"

#include <bit>
#include <cmath>
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

namespace {

constexpr int bits = LocalRates<double>::bits, lowest_octave = -70, octaves = 72;

std::int64_t upper_bits(double x) { return std::bit_cast<std::int64_t>(x) >> (52 - bits); }

// tau = 1/2 + 3 viscosity(stress / tau): the difference of both sides grows with tau if the product of viscosity and
// shear rate grows with the shear rate.
double solve(const std::function<double(double)>& viscosity, double stress, double highest) {
  double low = 0.5, high = highest;
  for (int k = 0; k < 100 && low < high; ++k) {
    const double tau = 0.5 * (low + high);
    (tau - 0.5 < 3 * viscosity(stress / tau) ? low : high) = tau;
  }
  return high;
}

}  // namespace

RateTable::RateTable(const std::function<double(double)>& viscosity)
    : first_(upper_bits(std::ldexp(1.0, lowest_octave))) {
  constexpr std::int64_t places = std::int64_t{octaves} << bits;
  double highest = 0;
  for (std::int64_t k = 0; k <= places; ++k) {
    const double square = std::bit_cast<double>((first_ + k) << (52 - bits)),
                 nu = viscosity(1.5 * std::sqrt(2 * square));
    if (!(nu > 0) || !std::isfinite(nu))
      throw InputError("The viscosity model gives a value that is not positive or not finite. Correct its parameters.");
    highest = std::max(highest, nu);
  }
  highest = 0.5 + 3 * std::max(highest, viscosity(0));
  for (std::int64_t k = 0; k <= places; ++k) {
    const double square = std::bit_cast<double>((first_ + k) << (52 - bits));
    values_.push_back(1 / solve(viscosity, 1.5 * std::sqrt(2 * square), highest));
  }
}

template <class Scalar>
LocalRates<Scalar> RateTable::rates(const Relaxation& p) const {
  const auto as = [](double x) { return static_cast<Scalar>(x); };
  using Odd = typename LocalRates<Scalar>::Odd;
  LocalRates<Scalar> rates{};
  for (std::size_t a = 0; a < 3; ++a) rates.half_force[a] = as(p.force[a] / 2);
  rates.magic = as(p.magic);
  rates.beyond = as(p.collision == Collision::mrt && p.ghost_tau > 0 ? 1 / p.ghost_tau : 1);
  rates.bulk = as(p.collision == Collision::mrt && p.bulk_tau > 0 ? 1 / p.bulk_tau : 0);
  rates.trace = as(p.bulk_tau > 0 ? 1 / p.bulk_tau : 1);
  rates.compressible = as(p.compressible());
  rates.odd = p.collision == Collision::bgk           ? Odd::as_even
              : p.collision == Collision::regularised ? Odd::one
                                                      : Odd::magic;
  rates.table = values_.data();
  rates.first = first_;
  rates.places = static_cast<std::int64_t>(values_.size());
  return rates;
}

template LocalRates<double> RateTable::rates<double>(const Relaxation&) const;
template LocalRates<float> RateTable::rates<float>(const Relaxation&) const;

}  // namespace weft::lattice::detail
