// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/units.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace weft::geometry::detail {

std::string number_text(double metres, double metres_per_unit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", metres / metres_per_unit);
  return text;
}

std::string place_text(const Vector& metres, double metres_per_unit) {
  std::string text(1, '(');
  return text.append(number_text(metres[0], metres_per_unit))
      .append(", ")
      .append(number_text(metres[1], metres_per_unit))
      .append(", ")
      .append(number_text(metres[2], metres_per_unit))
      .append(")");
}

}  // namespace weft::geometry::detail

namespace weft::geometry {

std::optional<double> metres_of(std::string_view text) {
  if (const auto metres = surface_units.find(text)) return metres;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value)) return {};
  return value;
}

bool is_likely_vessel(const VesselSize& size, double metres_per_unit) {
  constexpr double narrowest = 0.15e-3, widest = 25e-3;               // m, radius
  constexpr double shortest = 2e-3, longest = 1, longest_of_all = 2;  // m
  const double length = size.length * metres_per_unit, radius = size.opening_radius * metres_per_unit;
  if (radius > 0) return radius > narrowest && radius < widest && length < longest_of_all;
  return length > shortest && length < longest;
}

std::optional<Named<double>> likely_unit(const VesselSize& size) {
  for (const auto* name : {"mm", "m", "cm", "um"})
    if (const double metres = *surface_units.find(name); is_likely_vessel(size, metres))
      return Named<double>{metres, name};
  return {};
}

}  // namespace weft::geometry
