// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace weft::box_program {

/// A solid sphere (a disc in two dimensions) in the fluid. Lattice units; the site (i, j, k) of the box is at (i, j,
/// k), so walls are at -1/2 and extent - 1/2.
struct Particle {
  std::array<double, 3> position{}, velocity{}, spin{};
  double radius = 0;
  double density = 1;  ///< of the solid; the fluid's is about 1
  bool fixed = false;  ///< moves as prescribed, regardless of the fluid
  bool operator==(const Particle&) const = default;
};

struct ParticleOptions {
  std::vector<Particle> list;
  std::array<double, 3> gravity{};  ///< acceleration of the particles (reduced by buoyancy)
  /// Particles (and walls) closer than `repulsion_range` repel each other: strength x (1 - gap / range).
  double repulsion_range = 1, repulsion_strength = 0.05;
  bool operator==(const ParticleOptions&) const = default;
};

}  // namespace weft::box_program
