// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "amr/hierarchy.hpp"
#include "weft/names.hpp"

namespace weft::wave {

/// A wave with a known exact solution as long as no boundary disturbs it.
struct Pulse {
  enum class Shape : std::uint8_t {
    gaussian,  ///< at rest at time 0: amplitude exp(-(r / width)^2) around the centre; then an expanding sphere
    front,  ///< amplitude exp(-(s / width)^2), s the distance from a plane through the centre; moves along `direction`
    plane,  ///< amplitude cos(2 pi m.x - omega t), m waves over the domain along each axis
    standing,  ///< amplitude times the product of sin(pi m x) over the axes with m > 0, times cos(omega t); x over the
               ///< domain
  };
  static constexpr Names<Shape> shape_names{
      "shape",
      {{Shape::gaussian, "gaussian"}, {Shape::front, "front"}, {Shape::plane, "plane"}, {Shape::standing, "standing"}}};
  Shape shape = Shape::gaussian;
  double amplitude = 1, width = 0.1;
  std::array<double, 3> centre{};
  std::array<double, 3> direction{1, 0, 0};  ///< any length
  std::array<int, 3> waves{};                ///< m
  bool operator==(const Pulse&) const = default;
};

/// u and u_t.
struct State {
  double u = 0, v = 0;
};

/// The sum of all pulses at a point and time. Pure.
State exact(std::span<const Pulse> pulses, const amr::Domain& domain, double speed, const std::array<double, 3>& x,
            double time);

/// The same averaged over a cube around x (Gauss's rule, two points per axis).
State exact_average(std::span<const Pulse> pulses, const amr::Domain& domain, double speed,
                    const std::array<double, 3>& x, double spacing, double time);

/// Sets u and v of all of this rank's cells, as averages.
void set_exact(amr::Hierarchy& hierarchy, std::span<const Pulse> pulses, double speed, double time);

}  // namespace weft::wave
