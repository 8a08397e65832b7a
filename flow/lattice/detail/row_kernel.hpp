// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of the hot loops. This header is included by files that are compiled for one instruction set, so it
// must not contain code: the linker could keep an inline function of one of these files for the whole program.
// `Number` is the type in memory: of 4 or 8 bytes, or of 2, with which a lattice computes in single precision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "lattice/detail/collide.hpp"
#include "lattice/detail/sixteen_bits.hpp"
#include "lattice/observation.hpp"

namespace weft::lattice::detail {

constexpr int most_directions = 27;

/// How far ahead of a vector's populations memory is asked for theirs, if nothing else is chosen. The processor's own
/// prefetcher stops at each page, and there are as many streams as directions.
constexpr std::size_t prefetched_bytes = 512;

/// The locations of the populations of a row's first site: read along i from from[i], written to into[i]. The next
/// sites follow. Only these pointers differ between even and odd steps, and between dense and sparse lattices.
template <class Number>
struct Row {
  const Number* from[most_directions];
  Number* into[most_directions];
  const float* correction[3]{};                           ///< of advection (see Advection), by axis; null: none
  float* velocity[3]{};                                   ///< where the velocity is written, by axis; null: nowhere
  std::size_t ahead = prefetched_bytes / sizeof(Number);  ///< of each vector: where memory is asked for the next ones
};

/// The error of the momentum flux along an axis, as a factor of second differences of the squared velocity: see
/// Advection.
constexpr float advection_error = 1.0F / 12;

/// Updates `count` sites of a row.
template <class Number>
using RowKernel = void (*)(const Row<Number>&, std::size_t count, const Rates<Arithmetic<Number>>&);

template <class Number>
using LocalRowKernel = void (*)(const Row<Number>&, std::size_t count, const LocalRates<Arithmetic<Number>>&);

/// Sites of a sparse lattice are in groups: one cache line per direction, or a half of one.
constexpr std::size_t line_bytes = 64;
template <class Number>
constexpr std::size_t group_width = line_bytes / sizeof(Arithmetic<Number>);

/// A group's populations, gathered.
template <class Number>
struct SiteGroup {
  alignas(line_bytes) Number f[most_directions][group_width<Number>];
};

/// Consecutive groups whose sites have all their links at the same distances in memory (the middle of a row, a wall
/// along it), so that one offset per direction suffices. Or one group in which some directions consist of pieces; these
/// are copied to lines of their own, to which the offsets then lead.
struct Run {
  std::uint32_t first = 0;   ///< group; the next run begins where this one ends
  std::uint32_t start = 0;   ///< in Links::offsets
  std::uint32_t pieces = 0;  ///< its first one in Links::pieces; the next run's begin where these end
  std::uint16_t begun = 0;   ///< the pieces before this one are the first of their lines
  std::uint16_t lines = 0;   ///< index of its first line
};

/// Lanes of a group whose populations are consecutive in the array: that of lane l is at place + l.
struct Piece {
  std::int32_t place;
  std::uint16_t lanes;  ///< bit l: lane l
  std::uint8_t direction;
  std::uint8_t line;  ///< of the group's
};

/// Copies `count` pieces, of which the first `begun` are the first of their lines, to lines, and back. May read, and
/// write unchanged, the other values of a piece's vector.
template <class Number>
using TakePieces = void (*)(const Number* array, const Piece* pieces, std::size_t count, std::size_t begun,
                            Number* lines);
template <class Number>
using PutPieces = void (*)(Number* array, const Piece* pieces, std::size_t count, const Number* lines);

/// A sum of density - 1 in units of 2^-42: exact, so it depends neither on the order nor on how sites are sampled.
struct ExcessSum {
  static constexpr int tick_bits = 42;
  static constexpr double most = 256;  ///< of a site; larger ones (and NaN) make the sum unknown

  std::int64_t whole = 0, ticks = 0;
  bool is_known = true;

  /// `more`: of at most some million sites.
  void add(std::int64_t more) {
    ticks += more;
    whole += ticks >> tick_bits;
    ticks &= (std::int64_t{1} << tick_bits) - 1;
  }
  double value() const {
    if (!is_known) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(whole) + static_cast<double>(ticks) / static_cast<double>(std::int64_t{1} << tick_bits);
  }
};

/// Groups of which a sample keeps density - 1, for a reader who would else read all their populations again.
struct Watch {
  const std::uint32_t* next;  ///< first slots, ascending; then one beyond all
  double* excess;             ///< of that group and of those after it: a group's width each
};

/// The groups from slot `first` to `last`, of which `run` contains the first.
template <class Number>
struct Groups {
  Number* array;
  std::size_t first, last;
  const Run* run;
  const std::int32_t* offsets;
  std::size_t ahead;            ///< as Row::ahead
  std::span<const Piece> soon;  ///< to be prefetched meanwhile
  Watch watch;                  ///< if they are sampled
};

struct DiagnosticsTask;

/// Updates groups. With a task it also samples the sites before `sites_end`, from the registers: totals alone.
template <class Number>
using GroupKernel = void (*)(const Groups<Number>&, const Rates<Arithmetic<Number>>&, const DiagnosticsTask*,
                             std::size_t sites_end);

/// The location of a number of the AA pattern between steps: before even ones, before odd ones.
using LinkOffsets = std::array<std::int32_t, 2>;

/// A link that a wall cuts at the fraction q of its length, not half-way: x is the site, out points into the wall, in
/// away from it, b is the next site along in. The population that returns to x is a combination of four numbers of this
/// step:
///   q < 1/2   (1 - q + 2 q^2) f_in(x) = 2 q f*_out(x) + (1 - 2 q) f*_out(b) + q (1 - 2 q) (f*_in(b) - 2 f*_in(x))
///   q >= 1/2  f_in(x) = f*_out(x) / (q (2 q + 1)) + (2 q - 1) / q f*_in(x) - (2 q - 1) / (2 q + 1) f*_in(b)
/// The second is Bouzidi's quadratic interpolation (Bouzidi, Firdaouss, Lallemand, Phys. Fluids 13 (2001) 3452, eq. 5).
/// His formula for q < 1/2 needs the population that left the site behind b, which may be in another rank's interior,
/// updated last, while f*_in(b) is sent with that rank's edge. The first formula agrees with his in steady flow up to
/// second derivatives along the link.
///
/// In memory, f*_out(x) is in `place`, the population arriving from b in other[parity], the one that left towards it in
/// the other entry, and f*_in(b) in behind[parity]. The combination has less (or more) mass than the outgoing
/// population: 1 % of an artery's flow would be lost at walls, more at a pulse's peak. The difference is summed over a
/// block's links and added to the rest populations of their sites in equal shares, which conserves mass. (Added back
/// site by site, as by Bao, Yuan, Schaefer, J. Comput. Phys. 227 (2008) 8472, it costs half an order of the profile in
/// a slanted tube: a site's deficit is its neighbours' excess, and the block's sum is small.)
struct WallLink {
  std::int32_t place;
  LinkOffsets other;
  LinkOffsets behind;
  std::int32_t rest;
  float q;
};

/// Reflects the populations of a block's links from the wall, in step parity 0 (before even steps) or 1.
template <class Number>
using BounceKernel = void (*)(Number* array, const WallLink* links, std::size_t count, std::size_t parity);

/// The locations of the velocities of the neighbours along the axes, for each direction along an axis: for the lanes
/// `taken` at `place`, relative to the run's first slot; none for the lanes `missing`; for the other lanes in further
/// pieces. All sites of a run with constant offsets are alike.
struct AxisNeighbours {
  static constexpr int directions = 6;
  std::int32_t place[directions];
  std::uint16_t taken[directions], missing[directions];
  std::uint32_t first_more;  ///< index of the further pieces; the next run's begin where these end
};

struct NearVelocities {
  const AxisNeighbours* run;
  const Piece* more;        ///< further pieces, of all runs
  const float* velocities;  ///< one stream for each axis, followed by ghosts
  std::size_t stride;       ///< from an axis's stream to the next one's
};
/// Computes the advection correction of `count` sites (whole groups) of a run, by axis. May read up to one group beside
/// a piece.
using Correct = void (*)(const NearVelocities&, std::size_t slot, std::size_t count, float* const (&correction)[3]);

/// The outputs of a sample, from the row's first site on. Velocities contain the previous ones. Null: not wanted; with
/// either kind of velocity the populations are checked, too.
struct DiagnosticsTask {
  Watch watch;
  std::size_t slot;  ///< of the row's first site
  double half_force[3];
  double compressible;  ///< 1, or 0 where momentum is that of the reference density
  Observation* seen;    ///< its mass and bad_site are not changed
  ExcessSum* excess;    ///< the mass, less 1 for each site
  bool* is_bad;         ///< set if there is a negative or NaN population
  float* coarse[3];     ///< velocity, to compute its change
  double* velocity[3];  ///< or velocity and density, as fields
  double* density;
  float* stress[6];  ///< xx yy zz, xy xz yz. Null: not wanted
};

/// Samples `count` sites of a row; may read (and write to fields) up to a whole group.
template <class Number>
using DiagnosticsRow = void (*)(const Row<Number>&, std::size_t count, const DiagnosticsTask&);

/// The factor from the non-equilibrium stress (with half of the force's) to the viscous one: -(1 - 1 / (2 tau)).
template <class Scalar>
struct StressFactor {
  Scalar half_force[3];
  Scalar compressible;
  Scalar everywhere;
  const LocalRates<Scalar>* local;  ///< or null: the same everywhere
};

/// Computes the viscous stress of a row's sites, without its trace. Reads and writes as a sample does.
template <class Number>
using StressRow = void (*)(const Row<Number>&, std::size_t count, const StressFactor<Arithmetic<Number>>&,
                           float* const (&stress)[6]);

/// The sums of a group's populations, which come from `offsets`.
template <class Number>
using ExcessKernel = void (*)(const Number* group, const std::int32_t* offsets, std::size_t directions, double* out);

/// All kernels of an instruction set, by velocity set in the order of VelocitySet.
template <class Number>
struct RowKernels {
  RowKernel<Number> of[4][3];          ///< and Form; null if the set lacks it
  LocalRowKernel<Number> local[4][3];  ///< the same with a rate per site; not D2Q9
  GroupKernel<Number> groups[4][3];    ///< as `of`; not D2Q9
  DiagnosticsRow<Number> diagnostics[4];
  StressRow<Number> stress[4];
  TakePieces<Number> take;
  PutPieces<Number> put;
  BounceKernel<Number> bounce;
  Correct correct;
  ExcessKernel<Number> excess;
  std::size_t width;    ///< lanes
  bool samples_groups;  ///< `groups` can also sample
};

extern const RowKernels<double> generic_fp64, avx2_fp64, avx512_fp64, sve256_fp64, sve512_fp64;
extern const RowKernels<float> generic_fp32, avx2_fp32, avx512_fp32, sve256_fp32, sve512_fp32;
extern const RowKernels<Fp16> generic_fp16, avx2_fp16, avx512_fp16, sve256_fp16, sve512_fp16;
extern const RowKernels<Fp16c> generic_fp16c, avx2_fp16c, avx512_fp16c, sve256_fp16c, sve512_fp16c;

}  // namespace weft::lattice::detail
