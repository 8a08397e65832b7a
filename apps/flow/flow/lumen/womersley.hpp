// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "flow/case/table.hpp"

namespace weft::flow {

/// Velocity over its mean across a round tube in oscillating flow, as a complex amplitude, at a distance to the axis
/// over the radius: (1 - J0(b r) / J0(b)) / (1 - 2 J1(b) / (b J0(b))), b = i^(3/2) alpha (Womersley, J. Physiol. 127
/// (1955) 553). For alpha above 60, whose layer at the wall is thinner than a sixtieth of the radius, that of 60.
std::complex<double> womersley_profile(double alpha, double radius);

/// A mean velocity that repeats, as its first harmonics, each of which has a profile of its own in a long vessel, and
/// what they leave: its mean, and what is beyond the last harmonic, which have the profile of steady flow.
class Womersley {
 public:
  static constexpr std::size_t harmonics = 16;

  /// Of a waveform with a period.
  explicit Womersley(const Table& mean_velocity);

  /// Of each harmonic that there is, 1/s.
  const std::vector<double>& angular_frequencies() const { return angular_frequencies_; }
  /// Two for each harmonic, m/s: how much of the real and of the imaginary part of its profile there is.
  void amplitudes(double time_s, std::span<double> out) const;
  /// Mean velocity of what the harmonics leave, m/s: all of them and this together are the waveform.
  double rest(double time_s) const;
  /// At a distance to the axis, over the radius, of a round vessel, m/s. Kinematic viscosity, m^2/s.
  double velocity(double distance, double time_s, double radius, double viscosity) const;

 private:
  Table waveform_;
  std::vector<double> angular_frequencies_;
  std::vector<std::complex<double>> coefficient_;
};

}  // namespace weft::flow
