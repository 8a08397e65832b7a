// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/section_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::flow {

namespace {

using geometry::Point;
using geometry::Polygon;

/// A part of a grid line inside the section, from wall to wall, in grid widths from the line's first point.
struct Chord {
  double first, last;
};

/// The chords of each line across `axis`; lines lie at whole numbers along it.
std::vector<std::vector<Chord>> chords(const std::vector<Polygon>& rings, const Point& origin, double width,
                                       std::size_t axis, std::int32_t lines) {
  struct Crossing {
    double at;
    int turn;
  };
  std::vector<std::vector<Crossing>> crossings(static_cast<std::size_t>(lines));
  const auto other = 1 - axis;
  for (const auto& ring : rings)
    for (std::size_t k = 0; k < ring.size(); ++k) {
      const auto &a = ring[k], &b = ring[(k + 1) % ring.size()];
      const double from = (a[axis] - origin[axis]) / width, to = (b[axis] - origin[axis]) / width;
      const auto first = static_cast<std::int32_t>(std::max(0.0, std::ceil(std::min(from, to))));
      for (auto line = first; line < lines && line < std::max(from, to);
           ++line) {  // the upper end belongs to the next edge
        const double share = (line - from) / (to - from);
        crossings[static_cast<std::size_t>(line)].push_back(
            {(a[other] + share * (b[other] - a[other]) - origin[other]) / width, to > from ? 1 : -1});
      }
    }
  std::vector<std::vector<Chord>> result(crossings.size());
  for (std::size_t line = 0; line < crossings.size(); ++line) {
    auto& all = crossings[line];
    std::sort(all.begin(), all.end(), [](const Crossing& a, const Crossing& b) { return a.at < b.at; });
    // Outer rings are counter-clockwise, so they go up on the right side. On a row the inside begins where the ring
    // goes down; for columns it is mirrored.
    const int enters = axis == 1 ? -1 : 1;
    int depth = 0;
    double begin = 0;
    for (const auto& crossing : all) {
      const int before = depth;
      depth += crossing.turn * enters;
      if (before <= 0 && depth > 0) begin = crossing.at;
      if (before > 0 && depth <= 0 && crossing.at > begin) result[line].push_back({begin, crossing.at});
    }
  }
  return result;
}

const Chord* chord_around(const std::vector<Chord>& line, double at) {
  for (const auto& chord : line)
    if (chord.first < at && at < chord.last) return &chord;
  return nullptr;
}

constexpr double least_distance = 1e-4;  // for a point on the wall itself

}  // namespace

SectionGrid::SectionGrid(const std::vector<Polygon>& rings, double area, int points) : rings_(rings) {
  if (rings.empty()) return;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Point low{infinity, infinity}, high{-infinity, -infinity};
  for (const auto& p : rings.front())
    for (std::size_t d = 0; d < 2; ++d) low[d] = std::min(low[d], p[d]), high[d] = std::max(high[d], p[d]);
  // A narrow slit has few points across, but the bounding box of an oblique one must not have too many.
  constexpr double most_places = 4e6;
  width_ = std::max(std::sqrt(area) / points, std::sqrt((high[0] - low[0]) * (high[1] - low[1]) / most_places));
  std::array<std::int32_t, 2> count{};
  for (std::size_t d = 0; d < 2; ++d) {
    count[d] = static_cast<std::int32_t>(std::ceil((high[d] - low[d]) / width_)) + 1;
    origin_[d] = (low[d] + high[d]) / 2 - (count[d] - 1) * width_ / 2;
  }
  columns_ = count[0], rows_ = count[1];
  const auto in_rows = chords(rings, origin_, width_, 1, rows_),
             in_columns = chords(rings, origin_, width_, 0, columns_);
  numbers_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), -1);
  std::int32_t total = 0;
  for (std::int32_t j = 0; j < rows_; ++j)
    for (std::int32_t i = 0; i < columns_; ++i)
      if (chord_around(in_rows[static_cast<std::size_t>(j)], i) != nullptr &&
          chord_around(in_columns[static_cast<std::size_t>(i)], j) != nullptr)
        numbers_[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(i)] =
            total++;
  sides_.resize(static_cast<std::size_t>(total));
  const auto side = [&](double at, double step, const Chord& chord, std::int32_t next) -> Side {
    const double to_wall = step < 0 ? at - chord.first : chord.last - at;
    if (to_wall > 1 && next >= 0) return {next, 1};
    return {-1, std::clamp(to_wall, least_distance, 1.0)};
  };
  for (std::int32_t j = 0; j < rows_; ++j)
    for (std::int32_t i = 0; i < columns_; ++i) {
      const auto k = number(i, j);
      if (k < 0) continue;
      const auto &row = *chord_around(in_rows[static_cast<std::size_t>(j)], i),
                 &column = *chord_around(in_columns[static_cast<std::size_t>(i)], j);
      sides_[static_cast<std::size_t>(k)] = {side(i, -1, row, number(i - 1, j)), side(i, 1, row, number(i + 1, j)),
                                             side(j, -1, column, number(i, j - 1)),
                                             side(j, 1, column, number(i, j + 1))};
    }
}

std::int32_t SectionGrid::number(std::int32_t i, std::int32_t j) const {
  if (i < 0 || j < 0 || i >= columns_ || j >= rows_) return -1;
  return numbers_[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(i)];
}

// Beyond the wall: extrapolates linearly through zero at the wall and the inner point (or the next inner one, if the
// wall is near).
double SectionGrid::at(const std::vector<double>& field, std::int32_t i, std::int32_t j) const {
  if (const auto k = number(i, j); k >= 0) return field[static_cast<std::size_t>(k)];
  double sum = 0;
  int ways = 0;
  const std::array<std::array<std::int32_t, 2>, 4> steps = {{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
  for (std::size_t s = 0; s < 4; ++s) {
    const auto inner = number(i + steps[s][0], j + steps[s][1]);
    if (inner < 0) continue;
    const auto& sides = sides_[static_cast<std::size_t>(inner)];
    const double to_wall = sides[s ^ 1U].distance;  // back towards (i, j)
    const auto& before = sides[s];
    if (to_wall > 0.5 || before.next < 0) {
      sum -= field[static_cast<std::size_t>(inner)] * (1 - to_wall) / std::max(to_wall, 0.5);
    } else {
      sum -= field[static_cast<std::size_t>(before.next)] * (1 - to_wall) / (1 + to_wall);
    }
    ++ways;
  }
  return ways > 0 ? sum / ways : 0;
}

double SectionGrid::interpolate(const std::vector<double>& field, const Point& p) const {
  const double x = (p[0] - origin_[0]) / width_, y = (p[1] - origin_[1]) / width_;
  if (!(std::abs(x) < 1e9 && std::abs(y) < 1e9)) return 0;
  const auto i = static_cast<std::int32_t>(std::floor(x)), j = static_cast<std::int32_t>(std::floor(y));
  // If a corner of the cell is not inside, the wall may lie between.
  if (number(i, j) < 0 || number(i + 1, j) < 0 || number(i, j + 1) < 0 || number(i + 1, j + 1) < 0) {
    bool inside = false;
    for (const auto& ring : rings_) inside = inside != geometry::contains(ring, p);
    if (!inside) return 0;
  }
  const double s = x - i, t = y - j;
  return (1 - t) * ((1 - s) * at(field, i, j) + s * at(field, i + 1, j)) +
         t * ((1 - s) * at(field, i, j + 1) + s * at(field, i + 1, j + 1));
}

namespace {

using Phasor = std::complex<double>;

// Complex arithmetic without the standard's handling of infinities, which takes longer than the product itself.
double times(double a, double b) { return a * b; }
Phasor times(const Phasor& a, const Phasor& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double inverse(double a) { return 1 / a; }
Phasor inverse(const Phasor& a) {
  const double square = a.real() * a.real() + a.imag() * a.imag();
  return {a.real() / square, -a.imag() / square};
}
double magnitude_squared(double a) { return a * a; }
double magnitude_squared(const Phasor& a) { return a.real() * a.real() + a.imag() * a.imag(); }

/// shift u - laplace u in units of the grid's width. The matrix is symmetric, also for complex numbers (no conjugates).
template <class Number>
class Equation {
 public:
  Equation(const SectionGrid& grid, Number shift) : grid_(grid), diagonal_(grid.size(), shift), pivot_(grid.size()) {
    for (std::size_t k = 0; k < grid.size(); ++k) {
      for (const auto& side : grid.sides(k)) diagonal_[k] += 1 / side.distance;
      Number pivot = diagonal_[k];
      for (const auto side : {SectionGrid::left, SectionGrid::down})
        if (const auto next = grid.sides(k)[side].next; next >= 0) pivot -= pivot_[static_cast<std::size_t>(next)];
      pivot_[k] = inverse(pivot);
    }
  }

  std::vector<Number> solve(double right_side) const {
    const std::size_t n = grid_.size();
    std::vector<Number> u(n), r(n, right_side), z(n), p(n), q(n);
    constexpr double wanted = 1e-10;
    const double enough = wanted * wanted * right_side * right_side * static_cast<double>(n);
    Number rho{1};
    for (std::size_t turn = 0; turn < 10 * n + 10; ++turn) {
      if (residual_squared(r) <= enough) break;
      precondition(r, z);
      const Number next = product(r, z);
      const Number beta = turn == 0 ? Number{} : times(next, inverse(rho));
      rho = next;
      for (std::size_t k = 0; k < n; ++k) p[k] = z[k] + times(beta, p[k]);
      apply(p, q);
      const Number alpha = times(rho, inverse(product(p, q)));
      for (std::size_t k = 0; k < n; ++k) {
        u[k] += times(alpha, p[k]);
        r[k] -= times(alpha, q[k]);
      }
    }
    return u;
  }

 private:
  static double residual_squared(const std::vector<Number>& r) {
    double sum = 0;
    for (const auto& x : r) sum += magnitude_squared(x);
    return sum;
  }
  static Number product(const std::vector<Number>& a, const std::vector<Number>& b) {
    Number sum{};
    for (std::size_t k = 0; k < a.size(); ++k) sum += times(a[k], b[k]);
    return sum;
  }
  void apply(const std::vector<Number>& p, std::vector<Number>& q) const {
    for (std::size_t k = 0; k < p.size(); ++k) {
      q[k] = times(diagonal_[k], p[k]);
      for (const auto& side : grid_.sides(k))
        if (side.next >= 0) q[k] -= p[static_cast<std::size_t>(side.next)];
    }
  }
  // Solves (L + D) D^-1 (D + L^T) z = r, with L the strict lower triangle of the matrix.
  void precondition(const std::vector<Number>& r, std::vector<Number>& z) const {
    for (std::size_t k = 0; k < r.size(); ++k) {
      Number sum = r[k];
      for (const auto side : {SectionGrid::left, SectionGrid::down})
        if (const auto next = grid_.sides(k)[side].next; next >= 0) sum += z[static_cast<std::size_t>(next)];
      z[k] = times(sum, pivot_[k]);
    }
    for (std::size_t k = r.size(); k-- > 0;)
      for (const auto side : {SectionGrid::right, SectionGrid::up})
        if (const auto next = grid_.sides(k)[side].next; next >= 0)
          z[k] += times(pivot_[k], z[static_cast<std::size_t>(next)]);
  }

  const SectionGrid& grid_;
  std::vector<Number> diagonal_, pivot_;
};

/// Scales a field to a mean of 1.
template <class Number>
std::vector<Number> normalised(std::vector<Number> u) {
  Number sum{};
  for (const auto& x : u) sum += x;
  const Number factor = static_cast<double>(u.size()) * inverse(sum);
  for (auto& x : u) x = times(x, factor);
  return u;
}

}  // namespace

std::vector<double> steady_flow(const SectionGrid& grid) {
  if (grid.size() == 0) return {};
  return normalised(Equation<double>(grid, 0).solve(1));
}

OscillatingFlow oscillating_flow(const SectionGrid& grid, double rate) {
  OscillatingFlow flow;
  if (grid.size() == 0) return flow;
  const auto u = normalised(Equation<Phasor>(grid, Phasor(0, rate * grid.width() * grid.width())).solve(1));
  for (const auto& x : u) {
    flow.real.push_back(x.real());
    flow.imaginary.push_back(x.imag());
  }
  return flow;
}

}  // namespace weft::flow
