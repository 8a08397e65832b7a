// SPDX-License-Identifier: BSD-3-Clause
//
// Sampling of a row's sites before they collide: density and velocity, and stress. Templates on an instruction set's
// vectors; see row_kernel_body.hpp.
#pragma once

#include <type_traits>

#include "lattice/detail/collide.hpp"
#include "lattice/detail/row_kernel.hpp"
#include "lattice/velocity_sets.hpp"

namespace weft::lattice::detail {

/// Data stored in single precision for any precision of the lattice.
template <class Isa>
[[gnu::always_inline]] inline typename Isa::Real load_float(const float* p) {
  typedef float Floats __attribute__((vector_size(Isa::width * sizeof(float))));
  Floats v;
  __builtin_memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, typename Isa::Real);
}

/// Part `part` of a vector's lanes as doubles.
template <class Isa, int part>
[[gnu::always_inline]] inline auto widened(const typename Isa::Real& v) {
  if constexpr (sizeof(typename Isa::Scalar) == sizeof(double)) {
    return v;
  } else {
    typedef typename Isa::Scalar Half __attribute__((vector_size(sizeof v / 2)));
    Half half;
    __builtin_memcpy(&half, reinterpret_cast<const char*>(&v) + part * sizeof half, sizeof half);
    return __builtin_convertvector(half, typename Isa::Wide);
  }
}

/// Samples a row's sites before they collide, lane by lane; lanes after the last site add nothing. Kept: float or
/// double, for the velocity; void: not stored.
template <class Isa, class Model, class Kept>
[[gnu::always_inline]] inline void look_at(const Row<typename Isa::Number>& row, std::size_t count,
                                           const DiagnosticsTask& t) {
  using Real = typename Isa::Real;
  using Wide = typename Isa::Wide;
  using Lanes = decltype(Wide{} < Wide{});
  constexpr std::size_t width = Isa::width, parts = sizeof(double) / sizeof(typename Isa::Scalar), few = width / parts;
  constexpr bool fields = !std::is_void_v<Kept>;
  Observation& s = *t.seen;
  const Wide zero{};
  Wide lowest = zero + s.lowest_density, highest = zero + s.highest_density, fastest = zero + s.highest_speed_squared,
       low = zero + s.lowest_population, mass{}, change{}, speeds{};
  Lanes bad{};
  for (std::size_t x = 0; x < count; x += width) {
    Real excess{}, flux[3]{};
    [[maybe_unused]] Real least{};
    const Real rest = Isa::load(row.from[0] + x);
    if constexpr (fields) least = rest + static_cast<typename Isa::Scalar>(Model::weight[0]);
    excess = rest;
    unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
      constexpr int k = pair, a = 2 * k + 1, b = a + 1;
      const Real fa = Isa::load(row.from[a] + x), fb = Isa::load(row.from[b] + x);
      excess += fa + fb;
      const Real difference = fa - fb;
      unrolled<3>([&](auto axis) __attribute__((always_inline)) {
        constexpr int d = axis;
        if constexpr (Model::velocity[a][d] > 0) flux[d] += difference;
        if constexpr (Model::velocity[a][d] < 0) flux[d] -= difference;
      });
      if constexpr (fields) {
        const Real smaller = (fa < fb ? fa : fb) + static_cast<typename Isa::Scalar>(Model::weight[a]);
        least = smaller < least ? smaller : least;
      }
    });
    unrolled<int(parts)>([&](auto half) __attribute__((always_inline)) {
      constexpr int part = half;
      const std::size_t first = x + std::size_t(part) * few;
      if (first >= count) return;
      const Wide above = widened<Isa, part>(excess), density = 1.0 + above,
                 inverse = 1.0 / (1.0 + t.compressible * above);
      Wide u[3];
      for (int d = 0; d < 3; ++d) u[d] = widened<Isa, part>(flux[d]) * inverse + t.half_force[d];
      const Wide speed = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
      Lanes mine = zero == zero;
      if (count - first < few)
        for (std::size_t l = count - first; l < few; ++l) mine[l] = 0;
      lowest = (mine & (density < lowest)) ? density : lowest;
      highest = (mine & (density > highest)) ? density : highest;
      fastest = (mine & (speed > fastest)) ? speed : fastest;
      mass += mine ? density : zero;
      if constexpr (fields) {
        const Wide population = widened<Isa, part>(least);
        Wide changed{};
        for (int d = 0; d < 3; ++d) {
          typedef float Few __attribute__((vector_size(sizeof(Wide) / 2)));
          Few kept;
          if constexpr (std::is_same_v<Kept, float>) {
            __builtin_memcpy(&kept, t.coarse[d] + first, sizeof kept);
          } else {
            Wide old;
            __builtin_memcpy(&old, t.velocity[d] + first, sizeof old);
            __builtin_memcpy(t.velocity[d] + first, &u[d], sizeof old);
            kept = __builtin_convertvector(old, Few);
          }
          // Always in single precision, so that the change does not depend on whether fields are stored.
          const Few now = __builtin_convertvector(u[d], Few);
          if constexpr (std::is_same_v<Kept, float>) __builtin_memcpy(t.coarse[d] + first, &now, sizeof now);
          const Wide old = __builtin_convertvector(kept, Wide), rounded = __builtin_convertvector(now, Wide);
          changed += (rounded - old) * (rounded - old);
        }
        low = (mine & (population < low)) ? population : low;
        change += mine ? changed : zero;
        speeds += mine ? speed : zero;
        bad |= mine & ~((population >= zero) & (density == density));  // a NaN makes the density NaN
        if constexpr (std::is_same_v<Kept, double>) __builtin_memcpy(t.density + first, &density, sizeof density);
      }
    });
  }
  for (std::size_t l = 0; l < few; ++l) {
    s.lowest_density = lowest[l] < s.lowest_density ? lowest[l] : s.lowest_density;
    s.highest_density = highest[l] > s.highest_density ? highest[l] : s.highest_density;
    s.highest_speed_squared = fastest[l] > s.highest_speed_squared ? fastest[l] : s.highest_speed_squared;
    s.mass += mass[l];
    if constexpr (fields) {
      s.lowest_population = low[l] < s.lowest_population ? low[l] : s.lowest_population;
      s.change_squared += change[l];
      s.speed_squared += speeds[l];
      if (bad[l]) *t.is_bad = true;
    }
  }
}

template <class Isa, class Model>
void diagnostics_row(const Row<typename Isa::Number>& row, std::size_t count, const DiagnosticsTask& task) {
  if (task.density != nullptr)
    look_at<Isa, Model, double>(row, count, task);
  else if (task.coarse[0] != nullptr)
    look_at<Isa, Model, float>(row, count, task);
  else
    look_at<Isa, Model, void>(row, count, task);
}

template <class Isa, class Model>
void stress_row(const Row<typename Isa::Number>& row, std::size_t count,
                const StressFactor<typename Isa::Scalar>& given, float* const (&out)[6]) {
  using Real = typename Isa::Real;
  using Scalar = typename Isa::Scalar;
  typedef float Kept __attribute__((vector_size(Isa::width * sizeof(float))));
  for (std::size_t x = 0; x < count; x += Isa::width) {
    Real f[Model::directions], inverse;
    unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { f[i] = Isa::load(row.from[i] + x); });
    auto stress = stress_beyond<Model, Scalar>(f, given.half_force, given.compressible, inverse);
    if (row.correction[0] != nullptr)
      for (int d = 0; d < 3; ++d) stress.diagonal[d] -= load_float<Isa>(row.correction[d] + x) / inverse;
    Real factor = Real{} + given.everywhere;
    if (given.local != nullptr) {
      const Real square = stress.square() * (inverse * inverse);
      for (std::size_t l = 0; l < Isa::width; ++l)
        factor[l] = static_cast<Scalar>(0.5 * rate_in_table(*given.local, static_cast<double>(square[l])) - 1);
    }
    const Real mean = Scalar(1.0 / 3) * (stress.diagonal[0] + stress.diagonal[1] + stress.diagonal[2]);
    for (int d = 0; d < 3; ++d) {
      const Kept diagonal = __builtin_convertvector(factor * (stress.diagonal[d] - mean), Kept);
      const Kept mixed = __builtin_convertvector(factor * stress.mixed[d], Kept);
      __builtin_memcpy(out[d] + x, &diagonal, sizeof diagonal);
      __builtin_memcpy(out[3 + d] + x, &mixed, sizeof mixed);
    }
  }
}

}  // namespace weft::lattice::detail
