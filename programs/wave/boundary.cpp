// SPDX-License-Identifier: BSD-3-Clause
#include "wave/boundary.hpp"

#include <cmath>

namespace weft::wave {
namespace {

bool is_inner(int x, int n) { return x >= 0 && x < n; }

}  // namespace

BoundaryFiller::BoundaryFiller(const amr::Domain& domain, const Boundaries& faces, double speed)
    : domain_(domain), faces_(faces), speed_(speed) {}

unsigned BoundaryFiller::faces_of(const amr::BlockKey& key) const {
  unsigned faces = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (domain_.periodic[a]) continue;
    if (key.at[a] == 0) faces |= 1U << (2 * a);
    if (key.at[a] == (domain_.blocks[a] << key.level) - 1) faces |= 2U << (2 * a);
  }
  return faces;
}

template <class Rate>
void BoundaryFiller::fill_field(const amr::BlockData& block, Field f, unsigned faces, bool is_value,
                                const Rate& rate) const {
  const auto& s = *block.shape;
  const int n = s.n;
  const std::array<std::ptrdiff_t, 3> stride{1, s.row, s.plane};
  const double h = domain_.spacing_of(block.key.level);
  const auto corner = domain_.corner_of(block.key);
  double* cells = block.field(f);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t upper = 0; upper < 2; ++upper) {
      if ((faces >> (2 * a + upper) & 1U) == 0) continue;
      const auto& face = faces_[2 * a + upper];
      const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
      const std::ptrdiff_t inwards = upper == 1 ? -stride[a] : stride[a];
      const std::ptrdiff_t first = upper == 1 ? (n - 1) * stride[a] : 0;
      const double value = is_value ? face.value : 0;
      std::array<double, 3> from_middle{};  // the face
      const auto offset = [&](std::size_t axis, double at) {
        return corner[axis] + h * at - domain_.low[axis] - domain_.size(axis) / 2;
      };
      from_middle[a] = offset(a, upper == 1 ? n : 0);
      for (int y = -amr::ghosts; y < n + amr::ghosts; ++y)
        for (int x = -amr::ghosts; x < n + amr::ghosts; ++x) {
          const auto at = first + x * stride[b] + y * stride[c];
          double* cell = cells + at;
          if (face.kind == Boundary::Kind::fixed) {
            for (int m = 0; m < amr::ghosts; ++m) cell[-(m + 1) * inwards] = 2 * value - cell[m * inwards];
            continue;
          }
          double step = 0;  // the gradient outwards, times h
          if (face.kind == Boundary::Kind::radiating) {
            if (is_inner(x, n) && is_inner(y, n)) {
              from_middle[b] = offset(b, x + 0.5);
              from_middle[c] = offset(c, y + 0.5);
              const double r = std::hypot(from_middle[0], from_middle[1], from_middle[2]);
              const double there = 1.5 * cell[0] - 0.5 * cell[inwards],
                           change = 1.5 * rate(at) - 0.5 * rate(at + inwards);
              step = -h * std::abs(from_middle[a]) / r * (change / speed_ + (there - value) / r);
            } else {
              step = cell[0] - cell[inwards];  // only the interpolation for finer blocks reads this
            }
          }
          for (int m = 0; m < amr::ghosts; ++m) cell[-(m + 1) * inwards] = cell[m * inwards] + (2 * m + 1) * step;
        }
    }
}

void BoundaryFiller::fill(const amr::BlockData& block, Field first_field, const Operator& a) const {
  const auto faces = faces_of(block.key);
  if (faces == 0) return;
  const auto second = static_cast<Field>(first_field + 1);
  const double *x = block.field(first_field), *y = block.field(second);
  fill_field(block, first_field, faces, first_field == u, [y](std::ptrdiff_t at) { return y[at]; });
  fill_field(block, second, faces, false, [&](std::ptrdiff_t at) { return a.at(x + at, *block.shape); });
}

}  // namespace weft::wave
