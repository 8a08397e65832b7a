// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/support/shape_domain.hpp"

namespace weft::test {

/// A closed box of nx x ny x nz sites. Walls lie half-way outside of the outermost sites.
inline Shape box(std::int32_t nx, std::int32_t ny, std::int32_t nz) {
  return {{nx, ny, nz},
          [=](const Vector& v) {
            return v[0] > -0.5 && v[0] < nx - 0.5 && v[1] > -0.5 && v[1] < ny - 0.5 && v[2] > -0.5 && v[2] < nz - 0.5;
          },
          {}};
}

/// A round tube along z through (centre, centre), between openings at z = 0.5 and z = length + 0.5: `length` sites
/// long.
inline Shape tube(double radius, std::int32_t length) {
  const double centre = std::ceil(radius) + 1.0;
  const auto width = std::int32_t(2 * centre) + 1;
  const auto inside = [=](const Vector& v) { return std::hypot(v[0] - centre, v[1] - centre) < radius; };
  return {{width, width, length + 2},
          inside,
          {{geometry::Opening::Kind::inlet, "in", {centre, centre, 0.5}, {0, 0, 1}, radius},
           {geometry::Opening::Kind::outlet, "out", {centre, centre, length + 0.5}, {0, 0, -1}, radius}}};
}

/// A square duct along x, `width` sites wide and high, `length` long, open at both ends.
inline Shape open_duct(std::int32_t length, std::int32_t width) {
  const double middle = 0.5 * (width - 1);
  return {{length + 2, width, width},
          [=](const Vector& v) { return v[1] > -0.5 && v[1] < width - 0.5 && v[2] > -0.5 && v[2] < width - 0.5; },
          {{geometry::Opening::Kind::inlet, "in", {0.5, middle, middle}, {1, 0, 0}, double(width)},
           {geometry::Opening::Kind::outlet, "out", {length + 0.5, middle, middle}, {-1, 0, 0}, double(width)}}};
}

/// A Y: one inlet at the bottom, two slanted branches with an outlet each. About 9,000 sites at scale 1.
inline Shape fork(double scale) {
  const auto along = [](const Vector& v, const Vector& a, const Vector& b) {
    const Vector ab{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, av{v[0] - a[0], v[1] - a[1], v[2] - a[2]};
    const double l = ab[0] * ab[0] + ab[1] * ab[1] + ab[2] * ab[2];
    const double t = std::min(1.2, std::max(-0.2, (ab[0] * av[0] + ab[1] * av[1] + ab[2] * av[2]) / l));
    return std::hypot(av[0] - t * ab[0], av[1] - t * ab[1], av[2] - t * ab[2]);
  };
  const Vector foot{24 * scale, 9 * scale, 1.5 + 0.5 * scale}, knee{24 * scale, 9 * scale, 24 * scale};
  const Vector left{10 * scale, 9 * scale, 44 * scale}, right{38 * scale, 9 * scale, 44 * scale};
  const double root = std::hypot(14.0, 20.0);
  const Vector to_knee_l{14 / root, 0, -20 / root}, to_knee_r{-14 / root, 0, -20 / root};
  return {{std::int32_t(48 * scale), std::int32_t(18 * scale) + 1, std::int32_t(50 * scale)},
          [=](const Vector& v) {
            return along(v, foot, knee) < 7 * scale || along(v, knee, left) < 5 * scale ||
                   along(v, knee, right) < 5 * scale;
          },
          {{geometry::Opening::Kind::inlet, "foot", foot, {0, 0, 1}, 7 * scale},
           {geometry::Opening::Kind::outlet, "left", left, to_knee_l, 5 * scale + 1},
           {geometry::Opening::Kind::outlet, "right", right, to_knee_r, 5 * scale + 1}}};
}

}  // namespace weft::test
