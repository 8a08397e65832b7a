// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/womersley.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::flow {

namespace {

using Complex = std::complex<long double>;

// J0 and J1 by their power series. Terms grow to e^|z|, so ten digits remain of a long double at |z| = 60.
struct Bessel {
  Complex j0{1, 0}, j1{};
  explicit Bessel(Complex z) {
    const Complex square = -z * z / 4.0L;
    Complex term0{1, 0}, term1 = z / 2.0L;
    j1 = term1;
    for (int k = 1; k < 400; ++k) {
      term0 *= square / static_cast<long double>(k * k);
      term1 *= square / static_cast<long double>(k * (k + 1));
      j0 += term0;
      j1 += term1;
      if (std::abs(term0) < 1e-25L * std::abs(j0) && std::abs(term1) < 1e-25L * std::abs(j1)) break;
    }
  }
};

}  // namespace

std::complex<double> womersley_profile(double alpha, double radius) {
  constexpr double least = 1e-3;  // below it the parabola, to six digits or more
  if (alpha < least) return 2 * (1 - radius * radius);
  const Complex i(0, 1), b = i * std::sqrt(i) * static_cast<long double>(std::min(alpha, 60.0));
  const Bessel at_wall(b), here(b * static_cast<long double>(radius));
  const Complex one(1, 0), result = (one - here.j0 / at_wall.j0) / (one - 2.0L * at_wall.j1 / (b * at_wall.j0));
  return {static_cast<double>(result.real()), static_cast<double>(result.imag())};
}

Womersley::Womersley(const Table& mean_velocity) : waveform_(mean_velocity) {
  constexpr int samples = 4096;
  constexpr double turn = 2 * std::numbers::pi;
  const double period = mean_velocity.repeats_after();
  for (std::size_t n = 1; n <= harmonics; ++n) {
    std::complex<double> sum = 0;
    for (int k = 0; k < samples; ++k) {
      const double part = (k + 0.5) / samples;
      sum += mean_velocity.at(part * period) * std::polar(1.0, -turn * static_cast<double>(n) * part);
    }
    sum *= 2.0 / samples;
    if (std::abs(sum) <= 1e-9 * mean_velocity.largest_magnitude()) continue;
    coefficient_.push_back(sum);
    angular_frequencies_.push_back(turn * static_cast<double>(n) / period);
  }
}

void Womersley::amplitudes(double time_s, std::span<double> out) const {
  for (std::size_t k = 0; k < coefficient_.size(); ++k) {
    const auto now = coefficient_[k] * std::polar(1.0, angular_frequencies_[k] * time_s);
    out[2 * k] = now.real();
    out[2 * k + 1] = -now.imag();
  }
}

double Womersley::rest(double time_s) const {
  double rest = waveform_.at(time_s);
  for (std::size_t k = 0; k < coefficient_.size(); ++k)
    rest -= (coefficient_[k] * std::polar(1.0, angular_frequencies_[k] * time_s)).real();
  return rest;
}

double Womersley::velocity(double distance, double time_s, double radius, double viscosity) const {
  std::vector<double> now(2 * coefficient_.size());
  amplitudes(time_s, now);
  double sum = rest(time_s) * 2 * (1 - distance * distance);
  for (std::size_t k = 0; k < coefficient_.size(); ++k) {
    const auto profile = womersley_profile(radius * std::sqrt(angular_frequencies_[k] / viscosity), distance);
    sum += now[2 * k] * profile.real() + now[2 * k + 1] * profile.imag();
  }
  return sum;
}

}  // namespace weft::flow
