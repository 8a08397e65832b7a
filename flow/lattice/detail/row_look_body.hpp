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

/// The smallest population.
template <class Model, class Scalar, class Real>
[[gnu::always_inline]] inline Real least_of(const Real (&f)[Model::directions]) {
  Real least = f[0] + static_cast<Scalar>(Model::weight[0]);
  unrolled<Model::pairs>([&](auto pair) __attribute__((always_inline)) {
    constexpr int a = 2 * pair + 1, b = a + 1;
    const Real smaller = (f[a] < f[b] ? f[a] : f[b]) + static_cast<Scalar>(Model::weight[a]);
    least = smaller < least ? smaller : least;
  });
  return least;
}

/// Samples sites before they collide, lane by lane; lanes after the last site add nothing. Kept: float or double, for
/// the velocity; void: not stored.
template <class Isa, class Kept>
class Look {
 public:
  using Real = typename Isa::Real;
  using Wide = typename Isa::Wide;
  using Lanes = decltype(Wide{} < Wide{});
  static constexpr bool fields = !std::is_void_v<Kept>;

  [[gnu::always_inline]] Look(const DiagnosticsTask& task, const Watch& watch)
      : t_(task), watch_(watch), half_force_{task.half_force[0], task.half_force[1], task.half_force[2]},
        compressible_(task.compressible), lowest_(Wide{} + task.seen->lowest_density),
        highest_(Wide{} + task.seen->highest_density), fastest_(Wide{} + task.seen->highest_speed_squared),
        low_(Wide{} + task.seen->lowest_population) {}

  /// `x`: of the vector's first site in what is stored; `count` sites are left, at least one.
  template <class Model>
  [[gnu::always_inline]] void at(const Real (&f)[Model::directions], std::size_t slot, std::size_t x,
                                 std::size_t count) {
    constexpr std::size_t group = group_width<typename Isa::Number>;
    // In collide's order of operations, so that a compiler computes them once.
    const Halves<Model, Real> pairs(f);
    const Real excess = pairs.excess();
    Real flux[3]{};
    pairs.add_flux(flux);
    if (const std::size_t in_group = slot - *watch_.next; in_group < group) {
      unrolled<int(parts)>([&](auto half) __attribute__((always_inline)) {
        const Wide above = widened<Isa, int(half)>(excess);
        __builtin_memcpy(watch_.excess + in_group + std::size_t(half) * few, &above, sizeof above);
      });
      if (in_group + Isa::width == group) {
        ++watch_.next;
        watch_.excess += group;
      }
    }
    [[maybe_unused]] Real least;
    if constexpr (fields) least = least_of<Model, typename Isa::Scalar>(f);
    unrolled<int(parts)>([&](auto half) __attribute__((always_inline)) {
      constexpr int part = half;
      constexpr std::size_t begin = std::size_t(part) * few;
      if (begin >= count) return;
      const Wide zero{}, above = widened<Isa, part>(excess), density = 1.0 + above,
                         inverse = 1.0 / (1.0 + compressible_ * above);
      Wide u[3];
      for (int d = 0; d < 3; ++d) u[d] = widened<Isa, part>(flux[d]) * inverse + half_force_[d];
      const Wide speed = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
      Lanes mine = zero == zero;
      if (count - begin < few)
        for (std::size_t l = count - begin; l < few; ++l) mine[l] = 0;
      lowest_ = (mine & (density < lowest_)) ? density : lowest_;
      highest_ = (mine & (density > highest_)) ? density : highest_;
      fastest_ = (mine & (speed > fastest_)) ? speed : fastest_;
      // The sum has the unit that its last digit then has.
      const Wide shifted = above + shift;
      ticks_ += mine & (Lanes(shifted) - Lanes(zero + shift));
      unknown_ |= mine & ~(magnitude(above) < zero + ExcessSum::most);
      if constexpr (fields) {
        const Wide population = widened<Isa, part>(least);
        Wide changed{};
        for (int d = 0; d < 3; ++d) {
          typedef float Few __attribute__((vector_size(sizeof(Wide) / 2)));
          Few kept;
          if constexpr (std::is_same_v<Kept, float>) {
            __builtin_memcpy(&kept, t_.coarse[d] + x + begin, sizeof kept);
          } else {
            Wide old;
            __builtin_memcpy(&old, t_.velocity[d] + x + begin, sizeof old);
            __builtin_memcpy(t_.velocity[d] + x + begin, &u[d], sizeof old);
            kept = __builtin_convertvector(old, Few);
          }
          // Always in single precision, so that the change does not depend on whether fields are stored.
          const Few now = __builtin_convertvector(u[d], Few);
          if constexpr (std::is_same_v<Kept, float>) __builtin_memcpy(t_.coarse[d] + x + begin, &now, sizeof now);
          const Wide old = __builtin_convertvector(kept, Wide), rounded = __builtin_convertvector(now, Wide);
          changed += (rounded - old) * (rounded - old);
        }
        low_ = (mine & (population < low_)) ? population : low_;
        change_ += mine ? changed : zero;
        speeds_ += mine ? speed : zero;
        bad_ |= mine & ~((population >= zero) & (density == density));  // a NaN makes the density NaN
        if constexpr (std::is_same_v<Kept, double>) __builtin_memcpy(t_.density + x + begin, &density, sizeof density);
      }
    });
  }

  [[gnu::always_inline]] void tell() const {
    Observation& s = *t_.seen;
    for (std::size_t l = 0; l < few; ++l) {
      s.lowest_density = lowest_[l] < s.lowest_density ? lowest_[l] : s.lowest_density;
      s.highest_density = highest_[l] > s.highest_density ? highest_[l] : s.highest_density;
      s.highest_speed_squared = fastest_[l] > s.highest_speed_squared ? fastest_[l] : s.highest_speed_squared;
      t_.excess->add(ticks_[l]);
      if (unknown_[l]) t_.excess->is_known = false;
      if constexpr (fields) {
        s.lowest_population = low_[l] < s.lowest_population ? low_[l] : s.lowest_population;
        s.change_squared += change_[l];
        s.speed_squared += speeds_[l];
        if (bad_[l]) *t_.is_bad = true;
      }
    }
  }

 private:
  static constexpr std::size_t parts = sizeof(double) / sizeof(typename Isa::Scalar), few = Isa::width / parts;
  const DiagnosticsTask& t_;
  Watch watch_;
  const double half_force_[3], compressible_;  // copies, which stores can't alias
  static constexpr double shift = 1.5 * static_cast<double>(std::int64_t{1} << (52 - ExcessSum::tick_bits));
  Wide lowest_, highest_, fastest_, low_, change_{}, speeds_{};
  Lanes bad_{}, unknown_{}, ticks_{};
};

template <class Isa, class Model, class Kept>
[[gnu::always_inline]] inline void look_at(const Row<typename Isa::Number>& row, std::size_t count,
                                           const DiagnosticsTask& task) {
  Look<Isa, Kept> look(task, task.watch);
  for (std::size_t x = 0; x < count; x += Isa::width) {
    typename Isa::Real f[Model::directions];
    unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { f[i] = Isa::load(row.from[i] + x); });
    look.template at<Model>(f, task.slot + x, x, count - x);
  }
  look.tell();
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
