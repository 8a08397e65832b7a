// SPDX-License-Identifier: BSD-3-Clause
//
// What the hot loops are given. This header is included by files that are compiled for one instruction set, so it must
// hold no code: an inline function compiled there could be the one that the linker keeps for all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lattice/detail/collide.hpp"
#include "lattice/observation.hpp"

namespace weft::lattice::detail {

constexpr int most_directions = 27;

/// Where the populations of a row's first site lie: read along i from from[i], left in into[i]. The next sites follow.
/// The difference between even and odd steps, and between dense and sparse lattices, is in these pointers alone.
template <class Scalar>
struct Row {
  const Scalar* from[most_directions];
  Scalar* into[most_directions];
  const float* correction[3]{};  ///< of advection (see Advection), by axis; null: none
  float* velocity[3]{};          ///< where the velocity is left, by axis; null: nowhere
};

/// What the momentum's flux along an axis has too much, in second differences of the squared velocity: see Advection.
constexpr float advection_error = 1.0F / 12;

/// Updates `count` sites of a row.
template <class Scalar>
using RowKernel = void (*)(const Row<Scalar>&, std::size_t count, const Rates<Scalar>&);

template <class Scalar>
using LocalRowKernel = void (*)(const Row<Scalar>&, std::size_t count, const LocalRates<Scalar>&);

/// Sites of a sparse lattice come in groups, one cache line of each direction.
constexpr std::size_t line_bytes = 64;
template <class Scalar>
constexpr std::size_t group_width = line_bytes / sizeof(Scalar);

/// A group's populations, gathered.
template <class Scalar>
struct SiteGroup {
  alignas(line_bytes) Scalar f[most_directions][group_width<Scalar>];
};

/// Lanes of a group whose populations lie in consecutive places of the array: of lane l in place + l.
struct Piece {
  std::int32_t place;
  std::uint16_t lanes;  ///< bit l: lane l
  std::uint8_t direction;
};

/// Gathers what arrives at a group's sites, but for the population at rest; the first pieces are one of each direction,
/// in their order. Leaves what goes along each piece's direction.
template <class Scalar>
using TakePieces = void (*)(const Scalar* array, const Piece* pieces, std::size_t count, std::size_t directions,
                            SiteGroup<Scalar>&);
template <class Scalar>
using PutPieces = void (*)(Scalar* array, const Piece* pieces, std::size_t count, const SiteGroup<Scalar>&);

/// Where the neighbours along the axes of a run's sites have their velocities, for each direction along an axis: of the
/// lanes `taken` in `place`, which counts from the run's first slot on, of none where they are `missing`, and of the
/// others as further pieces say. Sites of a run with constant offsets are all alike.
struct AxisNeighbours {
  static constexpr int directions = 6;
  std::int32_t place[directions];
  std::uint16_t taken[directions], missing[directions];
  std::uint32_t first_more;  ///< of the further pieces; the next run's begin where these end
};

struct NearVelocities {
  const AxisNeighbours* run;
  const Piece* more;        ///< further pieces, of all runs
  const float* velocities;  ///< one stream for each axis, and ghosts behind them
  std::size_t stride;       ///< from an axis's stream to the next one's
};
/// Leaves the correction of advection of `count` sites (whole groups) of a run, by axis. Reads what lies up to a group
/// beside a piece.
using Correct = void (*)(const NearVelocities&, std::size_t slot, std::size_t count, float* const (&correction)[3]);

/// Where a look leaves what it saw, of the row's first site on. Velocities hold the earlier ones. Null: not wanted;
/// with either kind of velocity, populations are looked at, too.
struct LookTask {
  double half_force[3];
  double compressible;  ///< 1, or 0 where momentum is that of the reference density
  Observation* seen;    ///< its bad_site is not touched
  bool* is_bad;         ///< set if there is a negative or not-a-number population
  float* coarse[3];     ///< velocity, to tell its change
  double* velocity[3];  ///< or velocity and density, as fields
  double* density;
  float* stress[6];  ///< xx yy zz, xy xz yz. Null: not wanted
};

/// Looks at `count` sites of a row, of which it may read (and write into fields) up to a whole group.
template <class Scalar>
using LookRow = void (*)(const Row<Scalar>&, std::size_t count, const LookTask&);

/// What turns the stress beyond equilibrium (with half of the force's) into the viscous one: -(1 - 1 / (2 tau)).
template <class Scalar>
struct StressFactor {
  Scalar half_force[3];
  Scalar compressible;
  Scalar everywhere;
  const LocalRates<Scalar>* local;  ///< or null: it is the same everywhere
};

/// Leaves the viscous stress of a row's sites, without its trace. As a look reads and writes.
template <class Scalar>
using StressRow = void (*)(const Row<Scalar>&, std::size_t count, const StressFactor<Scalar>&,
                           float* const (&stress)[6]);

/// All that is compiled for an instruction set, by velocity set in the order of VelocitySet.
template <class Scalar>
struct RowKernels {
  RowKernel<Scalar> of[4][3];          ///< and Form; null where the set can't
  LocalRowKernel<Scalar> local[4][3];  ///< the same for rates of each site's own; not D2Q9
  LookRow<Scalar> look[4];
  StressRow<Scalar> stress[4];
  TakePieces<Scalar> take;
  PutPieces<Scalar> put;
  Correct correct;
  std::size_t width;  ///< lanes
};

extern const RowKernels<double> generic_fp64, avx2_fp64, avx512_fp64;
extern const RowKernels<float> generic_fp32, avx2_fp32, avx512_fp32;

}  // namespace weft::lattice::detail
