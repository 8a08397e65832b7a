// SPDX-License-Identifier: BSD-3-Clause
//
// The hot loop, as a template on an instruction set's vectors. An instruction set is a type in an unnamed namespace with
//     width, Real                     number of lanes, and the compiler's vector type of that many doubles
//     load, store                     unaligned
//     lower, higher                   of two, lane by lane; the second where one is not a number
//     gather(base, indices)           lane l: base[indices[l]]
//     stream_line(to, from)           8 doubles to an aligned cache line, past the caches
//     fence()                         after the last stream_line
// Operators on vectors are the compiler's own (gcc's and clang's vector extension).
#pragma once

#include "lattice/d3q19.hpp"
#include "lattice/detail/kernel.hpp"

namespace weft::lattice::detail {

/// Lane-wise sums over a range; lanes outside of it add nothing.
template <class Isa>
struct LaneSums {
  using Real = typename Isa::Real;
  using Lanes = decltype(Real{} < Real{});
  Real lowest_density, highest_density, highest_speed_squared, lowest_population, mass, change_squared, speed_squared;

  [[gnu::always_inline]] explicit LaneSums(const Observation& s)
      : lowest_density(Real{} + s.lowest_density), highest_density(Real{} + s.highest_density),
        highest_speed_squared(Real{} + s.highest_speed_squared), lowest_population(Real{} + s.lowest_population),
        mass{}, change_squared{}, speed_squared{} {}

  [[gnu::always_inline]] void reduce_into(Observation& s) const {
    for (int l = 0; l < Isa::width; ++l) {
      s.lowest_density = lowest_density[l] < s.lowest_density ? lowest_density[l] : s.lowest_density;
      s.highest_density = highest_density[l] > s.highest_density ? highest_density[l] : s.highest_density;
      s.highest_speed_squared =
          highest_speed_squared[l] > s.highest_speed_squared ? highest_speed_squared[l] : s.highest_speed_squared;
      s.lowest_population = lowest_population[l] < s.lowest_population ? lowest_population[l] : s.lowest_population;
      s.mass += mass[l];
      s.change_squared += change_squared[l];
      s.speed_squared += speed_squared[l];
    }
  }
};

/// Looks at the sites in slots x, x + 1, ... before they collide: all of them if `whole`, else those in [first, last).
template <class Isa, class Model, Look how>
[[gnu::always_inline]] inline void look(const Task& t, std::size_t x, std::size_t first, std::size_t last, bool whole,
                                        const typename Isa::Real (&f)[Model::directions],
                                        const Moments<typename Isa::Real>& m, LaneSums<Isa>& sums) {
  using Real = typename Isa::Real;
  const auto& u = m.velocity;
  const Real speed = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  typename LaneSums<Isa>::Lanes mine{};
  const Real zero{};
  if (whole) {
    sums.lowest_density = Isa::lower(m.density, sums.lowest_density);
    sums.highest_density = Isa::higher(m.density, sums.highest_density);
    sums.highest_speed_squared = Isa::higher(speed, sums.highest_speed_squared);
    sums.mass += m.density;
  } else {
    for (int l = 0; l < Isa::width; ++l) mine[l] = x + std::size_t(l) >= first && x + std::size_t(l) < last ? -1 : 0;
    sums.lowest_density = (mine & (m.density < sums.lowest_density)) ? m.density : sums.lowest_density;
    sums.highest_density = (mine & (m.density > sums.highest_density)) ? m.density : sums.highest_density;
    sums.highest_speed_squared = (mine & (speed > sums.highest_speed_squared)) ? speed : sums.highest_speed_squared;
    sums.mass += mine ? m.density : zero;
  }
  if constexpr (how == Look::fields) {
    if (whole) mine = zero == zero;
    Real low = f[0];
    unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { low = f[i] < low ? f[i] : low; });
    const Real old[3] = {Isa::load(t.velocity[0] + x), Isa::load(t.velocity[1] + x), Isa::load(t.velocity[2] + x)};
    const Real d[3] = {u[0] - old[0], u[1] - old[1], u[2] - old[2]};
    const Real change = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    sums.lowest_population = (mine & (low < sums.lowest_population)) ? low : sums.lowest_population;
    sums.change_squared += mine ? change : zero;
    sums.speed_squared += mine ? speed : zero;
    const auto good = (low >= zero) & (m.density == m.density);  // not-a-number makes the density so
    for (int l = 0; l < Isa::width; ++l) {
      const std::size_t s = x + std::size_t(l);
      if (mine[l] && !good[l] && (t.seen->bad_site < 0 || t.id[s] < t.seen->bad_site)) t.seen->bad_site = t.id[s];
    }
    if (whole) {
      Isa::store(t.density + x, m.density);
      for (int d3 = 0; d3 < 3; ++d3) Isa::store(t.velocity[d3] + x, u[d3]);
      return;
    }
    for (int l = 0; l < Isa::width; ++l) {
      if (!mine[l]) continue;
      const std::size_t s = x + std::size_t(l);
      t.density[s] = m.density[l];
      for (int d3 = 0; d3 < 3; ++d3) t.velocity[d3][s] = u[d3][l];
    }
  }
}

/// Pulls, looks and collides. Vectors that stick out of [first, last) are computed whole and stored in part, so a
/// site's result doesn't depend on where a range is cut.
template <class Isa, class Model, template <class, bool> class Collision, bool forced, bool bypass, Look how>
void update(const Task& t, std::size_t first, std::size_t last) {
  using Real = typename Isa::Real;
  constexpr std::size_t width = Isa::width, n = group_width;
  const double* const __restrict__ from = t.from;
  double* const __restrict__ to = t.to;
  const Relaxation relaxation = t.relaxation;
  [[maybe_unused]] LaneSums<Isa> sums(*t.seen);
  [[maybe_unused]] alignas(64) double lines[bypass ? Model::directions : 1][n];

  for (std::size_t g = first / n; g * n < last; ++g) {
    const Group group = t.groups[g];
    const std::int32_t* const words = t.words + group.start;
    const bool whole = g * n >= first && g * n + n <= last;
    for (std::size_t part = 0; part < n; part += width) {
      const std::size_t x = g * n + part;
      if (x + width <= first || x >= last) continue;
      Real f[Model::directions];
      f[0] = Isa::load(from + x);
      if (group.scattered) {
        unrolled<Model::directions - 1>([&](auto i) __attribute__((always_inline)) {
          f[i + 1] = Isa::gather(from, words + std::size_t(i) * n + part);
        });
      } else {
        unrolled<Model::directions - 1>(
            [&](auto i) __attribute__((always_inline)) { f[i + 1] = Isa::load(from + (std::size_t(words[i]) + part)); });
      }
      const auto m = moments<Model, forced>(f, relaxation);
      if constexpr (how != Look::nothing) look<Isa, Model, how>(t, x, first, last, whole, f, m, sums);
      Collision<Model, forced>::collide(f, m, relaxation);
      if (whole) {
        unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) {
          if constexpr (bypass) Isa::store(lines[i] + part, f[i]);
          else Isa::store(to + (std::size_t(i) * t.stride + x), f[i]);
        });
      } else {
        unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) {
          for (std::size_t l = 0; l < width; ++l)
            if (x + l >= first && x + l < last) to[std::size_t(i) * t.stride + x + l] = f[i][l];
        });
      }
    }
    if constexpr (bypass) {
      if (whole) {
        unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) {
          Isa::stream_line(to + (std::size_t(i) * t.stride + g * n), lines[i]);
        });
      }
    }
  }
  if constexpr (bypass) Isa::fence();
  if constexpr (how != Look::nothing) sums.reduce_into(*t.seen);
}

/// The kernel of a variant, by its index.
template <class Isa, int v>
constexpr Kernel kernel_of = (v & 1) != 0 ? &update<Isa, D3Q19, Trt, (v & 2) != 0, (v & 4) != 0, Look(v / 8)>
                                          : &update<Isa, D3Q19, Bgk, (v & 2) != 0, (v & 4) != 0, Look(v / 8)>;

#define WEFT_LATTICE_KERNELS(Isa)                                                                 \
  {kernel_of<Isa, 0>,  kernel_of<Isa, 1>,  kernel_of<Isa, 2>,  kernel_of<Isa, 3>,  kernel_of<Isa, 4>,  \
   kernel_of<Isa, 5>,  kernel_of<Isa, 6>,  kernel_of<Isa, 7>,  kernel_of<Isa, 8>,  kernel_of<Isa, 9>,  \
   kernel_of<Isa, 10>, kernel_of<Isa, 11>, kernel_of<Isa, 12>, kernel_of<Isa, 13>, kernel_of<Isa, 14>, \
   kernel_of<Isa, 15>, kernel_of<Isa, 16>, kernel_of<Isa, 17>, kernel_of<Isa, 18>, kernel_of<Isa, 19>, \
   kernel_of<Isa, 20>, kernel_of<Isa, 21>, kernel_of<Isa, 22>, kernel_of<Isa, 23>}

}  // namespace weft::lattice::detail
