// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/domain.hpp"
#include "geometry/section.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The unit to which numbers of the lattice, such as density - 1, are rounded before summation.
inline constexpr double tick = 0x1p-40;

/// A number in ticks, limited, since numbers of an unstable flow may be anything; the monitors report those.
inline std::int64_t ticks_of(double value) {
  constexpr double most = 4;
  const double ticks = (std::isnan(value) ? most : std::clamp(value, -most, most)) / tick;
  return static_cast<std::int64_t>(ticks + std::copysign(0.5, ticks));  // llround is a call
}

/// A sum of up to 2^31 64-bit integers in any order: upper and lower halves are summed separately.
struct TickSum {
  std::int64_t high = 0, low = 0;

  static TickSum of(std::int64_t ticks) { return {ticks >> 32, ticks & 0xffffffff}; }
  TickSum operator+(const TickSum& other) const { return {high + other.high, low + other.low}; }
  /// Rounded once, so equal for equal sums.
  double value() const { return static_cast<double>(high) * 0x1p32 + static_cast<double>(low); }
};

/// The static pressure in an opening's plane, measured in the interior: a straight line through the densities of the
/// sites two to eight voxels before the plane, extrapolated to it. Sites beside a wall are left out. The sites at the
/// opening itself deviate from the flow behind them by tenths of density x speed^2, in a way that depends on how the
/// plane cuts the lattice; the line by less than 0.02 (tubes of 9 voxels, any direction).
///
/// The line is a weighted sum of densities, with constant weights that add up to 1 over all ranks.
struct PressureGauge {
  std::vector<std::uint32_t> sites{};  ///< of this rank
  std::vector<double> weights{};       ///< of each
  std::size_t watched = 0;             ///< its number in the lattice
  bool is_inside = false;  ///< whether the vessel has such sites; otherwise those at the opening, with equal weights

  /// The weighted sum of density - 1 of this rank's sites between two steps, in units of `tick`: integers, so that the
  /// sum over ranks is the same on any number of ranks.
  std::int64_t ticks(const lattice::SparseLattice& lattice) const;
  /// Has the lattice keep what seen_ticks() needs, which then costs almost nothing.
  void watch(lattice::SparseLattice& lattice) { watched = lattice.watch(sites); }
  /// The same before the collision of the last step that sampled.
  std::int64_t seen_ticks(const lattice::SparseLattice& lattice) const;
  std::int64_t weighted(std::span<const double> density) const;
};

/// The gauge of each opening. Without lumens the discs are used. Collective.
std::vector<PressureGauge> make_gauges(Transport& transport, const lattice::SparseLattice& lattice,
                                       const geometry::Domain& domain, std::span<const geometry::Lumen> lumens);
/// Of an opening: the mean over the sites at it. Collective.
PressureGauge gauge_at_opening(Transport& transport, const lattice::SparseLattice& lattice,
                               const geometry::Domain& domain, std::size_t opening);

}  // namespace weft::flow
