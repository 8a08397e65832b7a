// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/rate_table.hpp"

#include <bit>
#include <cmath>

#include "weft/error.hpp"

namespace weft::lattice::detail {
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
