// SPDX-License-Identifier: BSD-3-Clause
#include "amr/transfer.hpp"

#include "weft/error.hpp"

namespace weft::amr {
namespace {

constexpr int reach = 2;    // coarse cells beyond the box
constexpr int widest = 16;  // coarse cells of a box along x and y
constexpr int wide = widest + 2 * reach;

// The difference between the upper half's average and the cell's (the lower half's is the negative).
inline double rise(double b2, double b1, double a1, double a2) {
  return (22 * (a1 - b1) - 3 * (a2 - b2)) * (1.0 / 128);
}

}  // namespace

void prolong(const double* from, std::ptrdiff_t row, std::ptrdiff_t plane, const std::array<int, 3>& count,
             double* to) {
  const int nx = count[0], ny = count[1], nz = count[2];
  if (nx > widest || ny > widest) throw Error("A box to prolong is wider than 16 coarse cells. Split it.");
  double half[2][wide][wide];  // a coarse plane cut in two along z
  double quarter[2][wide];     // a coarse row of that cut in two along y
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny + 2 * reach; ++j) {
      const double* c = from + k * plane + (j - reach) * row - reach;
      for (int i = 0; i < nx + 2 * reach; ++i) {
        const double r = rise(c[i - 2 * plane], c[i - plane], c[i + plane], c[i + 2 * plane]);
        half[0][j][i] = c[i] - r;
        half[1][j][i] = c[i] + r;
      }
    }
    for (int upper = 0; upper < 2; ++upper)
      for (int j = 0; j < ny; ++j) {
        const auto& h = half[upper];
        for (int i = 0; i < nx + 2 * reach; ++i) {
          const double r = rise(h[j][i], h[j + 1][i], h[j + 3][i], h[j + 4][i]);
          quarter[0][i] = h[j + 2][i] - r;
          quarter[1][i] = h[j + 2][i] + r;
        }
        for (int side = 0; side < 2; ++side) {
          double* out = to + ((2 * k + upper) * 2 * ny + 2 * j + side) * std::ptrdiff_t{2} * nx;
          const double* s = quarter[side];
          for (int i = 0; i < nx; ++i) {
            const double r = rise(s[i], s[i + 1], s[i + 3], s[i + 4]);
            out[2 * i] = s[i + 2] - r;
            out[2 * i + 1] = s[i + 2] + r;
          }
        }
      }
  }
}

void restrict_block(const double* from, const Shape& shape, double* to, std::ptrdiff_t row, std::ptrdiff_t plane) {
  const int half = shape.n / 2;
  const auto fr = shape.row, fp = shape.plane;
  for (int k = 0; k < half; ++k)
    for (int j = 0; j < half; ++j) {
      const double* f = from + 2 * k * fp + 2 * j * fr;
      double* c = to + k * plane + j * row;
      for (int i = 0; i < half; ++i, f += 2)
        c[i] = (((f[0] + f[1]) + (f[fr] + f[fr + 1])) + ((f[fp] + f[fp + 1]) + (f[fp + fr] + f[fp + fr + 1]))) * 0.125;
    }
}

}  // namespace weft::amr
