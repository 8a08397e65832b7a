// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/case/table.hpp"
#include "flow/scaling/scaling.hpp"
#include "geometry/section.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Oscillating flow in a round tube: complex amplitude of velocity / mean at r = distance from the axis / radius: (1 -
/// J0(b r) / J0(b)) / (1 - 2 J1(b) / (b J0(b))), b = i^(3/2) alpha (Womersley, J. Physiol. 127 (1955) 553). For alpha
/// above 60, with a wall layer thinner than a sixtieth of the radius, the profile of alpha = 60 is returned.
std::complex<double> womersley_profile(double alpha, double radius);

/// A periodic mean velocity, split into its first harmonics, each with its own profile in a long vessel, and the rest:
/// the mean and the higher harmonics, which get the profile of steady flow.
class Womersley {
 public:
  static constexpr std::size_t harmonics = 16;

  /// `mean_velocity` must have a period.
  explicit Womersley(const Table& mean_velocity);

  /// Of each harmonic that is present, 1/s.
  const std::vector<double>& angular_frequencies() const { return angular_frequencies_; }
  /// Two numbers per harmonic, m/s: factors of the real and the imaginary part of its profile.
  void amplitudes(double time_s, std::span<double> out) const;
  /// Mean velocity of the rest, m/s: the waveform minus the harmonics.
  double rest(double time_s) const;
  /// Velocity in a round vessel, m/s. `distance`: from the axis / radius; `viscosity`: kinematic, m^2/s.
  double velocity(double distance, double time_s, double radius, double viscosity) const;

 private:
  Table waveform_;
  std::vector<double> angular_frequencies_;
  std::vector<std::complex<double>> coefficient_;
};

/// Applies the openings' lumens to the case: flows, velocities and areas refer to the lumens, not to the discs that
/// locate them. Mean velocities are computed from given flows. An opening without a lumen is not changed.
void use_lumens(Case& c, std::span<const geometry::Lumen> lumens);

/// Sets the lattice's velocity profiles at openings with a velocity: that of steady flow through the lumen, and with
/// profile = "womersley" one for each harmonic. They are normalised so that the inflow through all links of all ranks
/// is the speed times the lumen's area (OpeningCase::area), to rounding, independent of the lumen's discretisation.
/// Without lumens the discs are used. At openings that may have a pressure it sets the shear of steady flow.
///
/// Collective. A rank without links at an opening solves nothing; the result does not depend on the distribution of
/// links over ranks.
void prescribe_profiles(Transport& transport, lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                        const geometry::Domain& domain, std::span<const geometry::Lumen> lumens);

}  // namespace weft::flow
