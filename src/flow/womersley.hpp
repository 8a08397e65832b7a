// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "flow/table.hpp"

namespace weft::flow {

/// Velocity over its mean across a round tube in oscillating flow, as a complex amplitude, at a distance to the axis over the
/// radius: (1 - J0(b r) / J0(b)) / (1 - 2 J1(b) / (b J0(b))), b = i^(3/2) alpha (Womersley, J. Physiol. 127 (1955) 553). For
/// alpha above 60, whose layer at the wall is thinner than a sixtieth of the radius, that of 60.
std::complex<double> womersley_profile(double alpha, double radius);

/// A mean velocity that repeats, as the mean and the first harmonics of a series, each with the profile that it has in a long
/// round tube: a parabola and Womersley's. What is beyond the last harmonic is left out.
class Womersley {
 public:
  static constexpr std::size_t harmonics = 16;

  /// Of a waveform with a period; radius in m, kinematic viscosity in m^2/s.
  Womersley(const Table& mean_velocity, double radius, double viscosity);

  double mean() const { return mean_; }  ///< of all time, m/s
  /// Two for each harmonic, by the distance to the axis over the radius; what they stand for are amplitudes() in m/s.
  std::vector<std::function<double(double)>> profiles() const;
  void amplitudes(double time_s, std::span<double> out) const;
  /// Along the axis of the tube, m/s.
  double velocity(double radius, double time_s) const;

 private:
  double mean_ = 0, period_ = 1;
  std::vector<double> number_, alpha_;            // of each harmonic that is there
  std::vector<std::complex<double>> coefficient_;
};

}  // namespace weft::flow
