// SPDX-License-Identifier: BSD-3-Clause
//
// The hot loops, as templates on an instruction set's vectors:
//     Number, Scalar                  in memory, and in which is computed
//     width, Real                     number of lanes, and the compiler's vector type of that many Scalars
//     load, store                     unaligned
//     store_first(p, value, n)        lanes 0 to n - 1
//     copy_lanes(to, lanes, from)     to[l] = from[l] where bit l is set; other to[l] may be written unchanged
//     Wide                            doubles in as many bytes
#pragma once

#include <algorithm>
#include <type_traits>

#include "lattice/detail/collide_cumulant.hpp"
#include "lattice/detail/row_kernel.hpp"
#include "lattice/detail/row_look_body.hpp"
#include "lattice/velocity_sets.hpp"

namespace weft::lattice::detail {

/// Numbers of 16 bits as words of 32, and back.
template <class Words, class Number>
[[gnu::always_inline]] inline Words sixteen_bits_at(const Number* p) {
  typedef std::uint16_t Few __attribute__((vector_size(sizeof(Words) / 2)));
  Few few;
  __builtin_memcpy(&few, p, sizeof few);
  return __builtin_convertvector(few, Words);
}
template <class Number, class Words>
[[gnu::always_inline]] inline void put_sixteen_bits(Number* p, const Words& words) {
  typedef std::uint16_t Few __attribute__((vector_size(sizeof(Words) / 2)));
  const Few few = __builtin_convertvector(words, Few);
  __builtin_memcpy(p, &few, sizeof few);
}

/// Lanes 0 to n - 1; the others contain arbitrary data. The thread sanitizer would report a race if unused lanes are
/// read while a message for another site arrives there; so they are not read in its builds.
template <class Isa>
[[gnu::always_inline]] inline typename Isa::Real load_first(const typename Isa::Number* p,
                                                            [[maybe_unused]] std::size_t n) {
#if defined(__SANITIZE_THREAD__)
  typename Isa::Real v{};
  for (std::size_t l = 0; l < n && l < Isa::width; ++l) v[l] = static_cast<typename Isa::Scalar>(p[l]);
  return v;
#else
  return Isa::load(p);
#endif
}

template <class Isa>
[[gnu::always_inline]] inline void store_float(float* p, const typename Isa::Real& value) {
  typedef float Floats __attribute__((vector_size(Isa::width * sizeof(float))));
  const Floats v = __builtin_convertvector(value, Floats);
  __builtin_memcpy(p, &v, sizeof v);
}

/// The locations of a vector's populations: in a row, or by the offsets of a run.
template <class Isa>
struct InRow {
  const Row<typename Isa::Number>& row;
  std::size_t x;
  [[gnu::always_inline]] auto* from(int i) const { return row.from[i] + x; }
  [[gnu::always_inline]] auto* ahead(int i) const { return row.from[i] + (x + row.ahead); }
  [[gnu::always_inline]] auto* into(int i) const { return row.into[i] + x; }
};
template <class Isa>
struct InRun {
  typename Isa::Number *first, *first_ahead;
  const std::int32_t* offsets;  ///< of direction 1
  [[gnu::always_inline]] std::ptrdiff_t offset(int i) const { return i == 0 ? 0 : offsets[i - 1]; }
  [[gnu::always_inline]] auto* into(int i) const { return first + offset(i); }
  [[gnu::always_inline]] auto* from(int i) const { return first + offset(from_slot(i)); }
  [[gnu::always_inline]] auto* ahead(int i) const { return first_ahead + offset(from_slot(i)); }

 private:
  static constexpr int from_slot(int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }
};

/// Writes a vector's populations.
template <class Isa, class Places>
struct IntoPlaces {
  const Places& places;
  [[gnu::always_inline]] void put(int i, const typename Isa::Real& f) const { Isa::store(places.into(i), f); }
  [[gnu::always_inline]] void add(int i, const typename Isa::Real& f) const { put(i, Isa::load(places.into(i)) + f); }
};

/// Loads a vector's populations, collides them and stores them. Cumulants of D3Q27 take the advection correction, and
/// return the velocity. `look` sees them before they collide.
template <class Isa, class Model, Form form, class Places, class AnyRates, class Look>
[[gnu::always_inline]] inline void update_vector(const Places& places, const AnyRates& rates,
                                                 const typename Isa::Real (&correction)[3],
                                                 typename Isa::Real (&velocity)[3], const Look& look) {
  using Real = typename Isa::Real;
  using Scalar = typename Isa::Scalar;
  constexpr bool local = std::is_same_v<AnyRates, LocalRates<Scalar>>;
  Real f[Model::directions];
  unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) {
    __builtin_prefetch(places.ahead(i), 1, 3);
    f[i] = Isa::load(places.from(i));
  });
  look(f);
  const IntoPlaces<Isa, Places> into{places};
  if constexpr (form == Form::cumulants) {
    if constexpr (local)
      collide_cumulants_locally<Model, Scalar>(f, rates, correction, velocity, into);
    else
      collide_cumulants<Model, Scalar>(f, rates, correction, velocity, into);
  } else {
    if constexpr (local)
      collide_locally<Model, form == Form::many_rates, Scalar>(f, rates, into);
    else
      collide<Model, form == Form::many_rates, Scalar>(f, rates, into);
  }
}

/// `count` is a multiple of the vectors' width.
template <class Isa, class Model, Form form, template <class> class AnyRates>
[[gnu::noinline]] void update_vectors(const Row<typename Isa::Number>& given_row, std::size_t count,
                                      const AnyRates<typename Isa::Scalar>& given) {
  using Scalar = typename Isa::Scalar;
  const AnyRates<Scalar> rates = given;
  const Row<typename Isa::Number> row = given_row;  // a local copy, which stores can't alias
  constexpr bool corrects = form == Form::cumulants && Model::directions == 27;
  for (std::size_t x = 0; x < count; x += Isa::width) {
    typename Isa::Real correction[3]{}, velocity[3];
    if (corrects && row.correction[0] != nullptr)
      for (int d = 0; d < 3; ++d) correction[d] = load_float<Isa>(row.correction[d] + x);
    update_vector<Isa, Model, form>(InRow<Isa>{row, x}, rates, correction, velocity, [](const auto&) {});
    if (corrects && row.velocity[0] != nullptr)
      for (int d = 0; d < 3; ++d) {
        __builtin_prefetch(row.velocity[d] + x + prefetched_bytes / sizeof(float), 1, 3);
        store_float<Isa>(row.velocity[d] + x, velocity[d]);
      }
  }
}

/// One loop over all groups: a loop for each run would end unpredictably, every few groups.
template <class Isa, class Model, Form form, bool looks>
[[gnu::noinline]] void update_runs(const Groups<typename Isa::Number>& given, const Rates<typename Isa::Scalar>& of_all,
                                   const DiagnosticsTask* task, std::size_t sites_end) {
  constexpr std::size_t width = group_width<typename Isa::Number>;
  const Groups<typename Isa::Number> groups = given;
  const Rates<typename Isa::Scalar> rates = of_all;
  // Evenly over the groups: a burst would wait for the memory. Beyond a piece the next groups go on.
  const Piece *piece = groups.soon.data(), *const soon_end = piece + groups.soon.size();
  const std::size_t slots = groups.last - groups.first;
  const auto at_once = std::ptrdiff_t((groups.soon.size() * width + slots - 1) / slots);
  constexpr std::size_t beyond = 32;
  const typename Isa::Real no_correction[3]{};
  struct Blind {
    Blind(const DiagnosticsTask&, const Watch&) {}
  };
  [[maybe_unused]] std::conditional_t<looks, Look<Isa, void>, Blind> look(*task, groups.watch);
  const Run* run = groups.run;
  for (std::size_t slot = groups.first; slot < groups.last;) {
    const std::int32_t* const of_run = groups.offsets + run->start;
    for (std::ptrdiff_t left = std::min(at_once, soon_end - piece); left > 0; --left, ++piece)
      for (const std::size_t k : {std::size_t{0}, width - 1, beyond})
        __builtin_prefetch(groups.array + piece->place + k, 1, 3);
    for (std::size_t part = 0; part < width; part += Isa::width) {
      typename Isa::Real velocity[3];
      update_vector<Isa, Model, form>(
          InRun<Isa>{groups.array + slot + part, groups.array + slot + part + groups.ahead, of_run}, rates,
          no_correction, velocity, [&](const auto& f) __attribute__((always_inline)) {
            if constexpr (looks)
              if (slot + part < sites_end) look.template at<Model>(f, slot + part, 0, sites_end - slot - part);
          });
    }
    slot += width;
    run += run[1].first * width == slot ? 1 : 0;
  }
  if constexpr (looks) look.tell();
}

// Not with short vectors, and with a sanitizer only one kernel, since gcc takes minutes for each.
template <class Isa>
constexpr bool samples_groups =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    sizeof(typename Isa::Real) == 32 && sizeof(typename Isa::Number) == 8;
#else
    sizeof(typename Isa::Real) > 16;
#endif

template <class Isa, class Model, Form form>
void update_groups(const Groups<typename Isa::Number>& groups, const Rates<typename Isa::Scalar>& rates,
                   const DiagnosticsTask* task, std::size_t sites_end) {
  if constexpr (samples_groups<Isa>)
    if (task != nullptr) return update_runs<Isa, Model, form, true>(groups, rates, task, sites_end);
  update_runs<Isa, Model, form, false>(groups, rates, task, sites_end);
}

/// The last vector of a row is computed completely (the numbers after a row belong to other sites) and stored partly.
/// The same loop computes it, so the division of a block never changes a result. Only a dense block has such rows, and
/// no advection correction.
template <class Isa, class Model, Form form, template <class> class AnyRates>
void update_row(const Row<typename Isa::Number>& row, std::size_t count, const AnyRates<typename Isa::Scalar>& given) {
  constexpr std::size_t width = Isa::width;
  const std::size_t rest = count % width, whole = count - rest;
  if (whole != 0) update_vectors<Isa, Model, form>(row, whole, given);
  if (rest == 0) return;
  alignas(line_bytes) typename Isa::Number f[Model::directions][width];
  Row<typename Isa::Number> last;
  for (int i = 0; i < Model::directions; ++i) {
    Isa::store(f[i], load_first<Isa>(row.from[i] + whole, rest));
    last.from[i] = last.into[i] = f[i];
  }
  update_vectors<Isa, Model, form>(last, width, given);
  for (int i = 0; i < Model::directions; ++i) Isa::store_first(row.into[i] + whole, Isa::load(f[i]), rest);
}

template <class Isa>
void correct(const NearVelocities& near, std::size_t slot, std::size_t count, float* const (&to)[3]) {
  constexpr std::size_t width = group_width<typename Isa::Number>;
  constexpr std::uint16_t all = (1U << width) - 1;
  constexpr std::size_t ahead = 512 / sizeof(float);
  typedef float Floats __attribute__((vector_size(width * sizeof(float))));
  typedef std::int32_t Lanes __attribute__((vector_size(width * sizeof(std::int32_t))));
  static constexpr std::int32_t bits[16] = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                            1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  Lanes bit;
  __builtin_memcpy(&bit, bits, sizeof bit);
  // (As arguments: returning wide vectors changes the binary interface where they are emulated.)
  const auto load = [](Floats & v, const float* p) __attribute__((always_inline)) {
    __builtin_memcpy(&v, p, sizeof v);
  };
  const auto leave = [&](std::size_t axis, std::size_t x, const Floats& own, const Floats& before, const Floats& after)
      __attribute__((always_inline)) {
    const Floats result = -advection_error * ((after - own) * (after + own) - (own - before) * (own + before));
    __builtin_memcpy(to[axis] + x, &result, sizeof result);
  };
  const AxisNeighbours& run = *near.run;
  const float* const first = near.velocities + slot;
  // If a neighbour is missing, the velocity is extrapolated linearly.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t up = 2 * axis, down = up + 1;
    const float *const own = first + axis * near.stride, *const after = first + run.place[up],
                       *const before = first + run.place[down];
    if ((run.taken[up] & run.taken[down]) == all) {
      for (std::size_t x = 0; x < count; x += width) {
        for (const float* const from : {own, before, after}) __builtin_prefetch(from + x + ahead, 0, 3);
        Floats u, u0, u1;
        load(u, own + x);
        load(u0, before + x);
        load(u1, after + x);
        leave(axis, x, u, u0, u1);
      }
      continue;
    }
    const Lanes missing[2] = {(bit & std::int32_t(run.missing[up])) != 0, (bit & std::int32_t(run.missing[down])) != 0};
    for (std::size_t x = 0; x < count; x += width) {
      Floats side[2], u;
      load(side[0], after + x);
      load(side[1], before + x);
      load(u, own + x);
      if ((run.taken[up] | run.missing[up]) != all || (run.taken[down] | run.missing[down]) != all)
        for (std::uint32_t k = run.first_more; k < near.run[1].first_more; ++k) {
          const Piece piece = near.more[k];
          const std::size_t d = piece.direction - 1U;
          if (d / 2 != axis) continue;
          Floats v;
          load(v, first + piece.place);
          side[d % 2] = (bit & std::int32_t(piece.lanes)) != 0 ? v : side[d % 2];
        }
      const Floats straight[2] = {u + (u - side[1]), u + (u - side[0])};
      for (int d = 0; d < 2; ++d) side[d] = missing[d] ? (missing[1 - d] ? u : straight[d]) : side[d];
      leave(axis, x, u, side[1], side[0]);
    }
  }
}

/// Divides a piece's lanes into parts as wide as a vector: f(part, lanes of it). Of two parts none is left out, since
/// which one is empty can't be predicted.
template <class Isa, class Function>
[[gnu::always_inline]] inline void each_part(const Piece& piece, const Function& f) {
  constexpr std::size_t width = Isa::width, n = group_width<typename Isa::Number>;
  constexpr std::uint32_t all = (1U << width) - 1;
  for (std::size_t part = 0; part < n; part += width) {
    const std::uint32_t lanes = std::uint32_t(piece.lanes) >> part & all;
    if (n <= 2 * width || lanes != 0) f(part, lanes);
  }
}

template <class Isa>
void take_pieces(const typename Isa::Number* array, const Piece* pieces, std::size_t count, std::size_t begun,
                 typename Isa::Number* lines) {
  using Number = typename Isa::Number;
  constexpr std::size_t width = group_width<Number>;
  for (std::size_t k = 0; k < begun; ++k)
    __builtin_memcpy(lines + pieces[k].line * width, array + pieces[k].place, width * sizeof(Number));
  for (std::size_t k = begun; k < count; ++k) {
    const Piece piece = pieces[k];
    each_part<Isa>(
        piece, [&](std::size_t part, std::uint32_t lanes) __attribute__((always_inline)) {
          Isa::copy_lanes(lines + piece.line * width + part, lanes, array + piece.place + std::ptrdiff_t(part));
        });
  }
}

template <class Isa>
void put_pieces(typename Isa::Number* array, const Piece* pieces, std::size_t count,
                const typename Isa::Number* lines) {
  constexpr std::size_t width = group_width<typename Isa::Number>;
  for (std::size_t k = 0; k < count; ++k) {
    const Piece piece = pieces[k];
    each_part<Isa>(
        piece, [&](std::size_t part, std::uint32_t lanes) __attribute__((always_inline)) {
          Isa::copy_lanes(array + piece.place + std::ptrdiff_t(part), lanes, lines + piece.line * width + part);
        });
  }
}

template <class Isa>
void excess_of(const typename Isa::Number* group, const std::int32_t* offsets, std::size_t directions, double* out) {
  using Wide = typename Isa::Wide;
  constexpr std::size_t parts = sizeof(double) / sizeof(typename Isa::Scalar), few = Isa::width / parts;
  for (std::size_t part = 0; part < group_width<typename Isa::Number>; part += Isa::width) {
    Wide sum[parts]{};
    const auto add = [&](const typename Isa::Number* from) __attribute__((always_inline)) {
      const auto f = Isa::load(from + part);
      unrolled<int(parts)>([&](auto half)
                               __attribute__((always_inline)) { sum[int(half)] += widened<Isa, int(half)>(f); });
    };
    add(group);
    for (std::size_t i = 1; i < directions; ++i) add(group + offsets[(i - 1) ^ 1]);
    __builtin_memcpy(out + part, sum, parts * few * sizeof(double));
  }
}

/// WallLink's mixture of f*_out(x), f*_out(b), f*_in(x), f*_in(b).
template <class Real, class Scalar>
[[gnu::always_inline]] inline Real back_from_wall(const Real& q, const Real& left, const Real& arriving,
                                                  const Real& returning, const Real& behind) {
  const Real twice = Scalar(2) * q, beyond = Scalar(1) - twice, within = twice - Scalar(1), more = twice + Scalar(1);
  const Real near = twice * left + beyond * (arriving + q * (behind - Scalar(2) * returning)),
             far = left + within * (more * returning - q * behind);
  const auto is_near = q < Scalar(0.5);
  return (is_near ? near : far) / (is_near ? Scalar(1) - q * beyond : q * more);
}

// A vector of links at a time. No link changes what another one reads.
template <class Isa>
void bounce(typename Isa::Number* array, const WallLink* links, std::size_t count, std::size_t parity) {
  using Number = typename Isa::Number;
  using Scalar = typename Isa::Scalar;
  using Real = typename Isa::Real;
  constexpr std::size_t width = Isa::width;
  double lacking = 0;
  Number left[width]{}, arriving[width]{}, returning[width]{}, behind[width]{};
  Real q = Real{} + Scalar(1);
  for (std::size_t first = 0; first < count; first += width) {
    const std::size_t n = std::min(width, count - first);
    for (std::size_t l = 0; l < n; ++l) {
      const WallLink& link = links[first + l];
      left[l] = array[link.place];
      arriving[l] = array[link.other[parity]];
      returning[l] = array[link.other[1 - parity]];
      behind[l] = array[link.behind[parity]];
      q[l] = static_cast<Scalar>(link.q);
    }
    const Real was = Isa::load(left);
    Isa::store(left,
               back_from_wall<Real, Scalar>(q, was, Isa::load(arriving), Isa::load(returning), Isa::load(behind)));
    const Real is = Isa::load(left);
    for (std::size_t l = 0; l < n; ++l) {
      array[links[first + l].place] = left[l];
      lacking += static_cast<double>(was[l]) - static_cast<double>(is[l]);
    }
  }
  const auto share = static_cast<Scalar>(lacking / static_cast<double>(count));
  for (std::size_t k = 0; k < count;) {  // links of a site follow each other
    const auto place = links[k].rest;
    auto rest = static_cast<Scalar>(array[place]);
    for (; k < count && links[k].rest == place; ++k) rest += share;
    array[place] = static_cast<Number>(rest);
  }
}

#define WEFT_ROW_KERNEL_PAIR(Isa, Model, AnyRates) \
  { &update_row<Isa, Model, Form::two_rates, AnyRates>, &update_row<Isa, Model, Form::many_rates, AnyRates>, nullptr }
#define WEFT_ROW_KERNEL_ALL(Isa, Model, AnyRates)                                                            \
  {                                                                                                          \
    &update_row<Isa, Model, Form::two_rates, AnyRates>, &update_row<Isa, Model, Form::many_rates, AnyRates>, \
        &update_row<Isa, Model, Form::cumulants, AnyRates>                                                   \
  }
#define WEFT_GROUP_KERNEL_PAIR(Isa, Model) \
  { &update_groups<Isa, Model, Form::two_rates>, &update_groups<Isa, Model, Form::many_rates>, nullptr }
#define WEFT_GROUP_KERNEL_ALL(Isa, Model)                                                      \
  {                                                                                            \
    &update_groups<Isa, Model, Form::two_rates>, &update_groups<Isa, Model, Form::many_rates>, \
        &update_groups<Isa, Model, Form::cumulants>                                            \
  }
#define WEFT_ROW_KERNELS(Isa)                                                                                    \
  {                                                                                                              \
    {WEFT_ROW_KERNEL_PAIR(Isa, D2Q9, Rates), WEFT_ROW_KERNEL_PAIR(Isa, D3Q15, Rates),                            \
     WEFT_ROW_KERNEL_ALL(Isa, D3Q19, Rates), WEFT_ROW_KERNEL_ALL(Isa, D3Q27, Rates)},                            \
        {{nullptr, nullptr, nullptr},                                                                            \
         WEFT_ROW_KERNEL_PAIR(Isa, D3Q15, LocalRates),                                                           \
         WEFT_ROW_KERNEL_ALL(Isa, D3Q19, LocalRates),                                                            \
         WEFT_ROW_KERNEL_ALL(Isa, D3Q27, LocalRates)},                                                           \
        {{nullptr, nullptr, nullptr},                                                                            \
         WEFT_GROUP_KERNEL_PAIR(Isa, D3Q15),                                                                     \
         WEFT_GROUP_KERNEL_ALL(Isa, D3Q19),                                                                      \
         WEFT_GROUP_KERNEL_ALL(Isa, D3Q27)},                                                                     \
        {nullptr, &diagnostics_row<Isa, D3Q15>, &diagnostics_row<Isa, D3Q19>, &diagnostics_row<Isa, D3Q27>},     \
        {nullptr, &stress_row<Isa, D3Q15>, &stress_row<Isa, D3Q19>, &stress_row<Isa, D3Q27>}, &take_pieces<Isa>, \
        &put_pieces<Isa>, &bounce<Isa>, &correct<Isa>, &excess_of<Isa>, Isa::width, samples_groups<Isa>          \
  }

}  // namespace weft::lattice::detail
