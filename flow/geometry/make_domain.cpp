// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "geometry/detail/decompose.hpp"
#include "geometry/voxelise.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::geometry {

namespace {

std::string text(double value) {
  char t[32];
  std::snprintf(t, sizeof t, "%.4g", value);
  return t;
}

std::int64_t total(Transport& transport, std::int64_t mine) { return all_reduce(transport, mine, sum<std::int64_t>()); }

// The arguments are the same on all ranks, so all ranks throw together.
void check(const Surface& surface, const std::vector<Opening>& openings, double voxel) {
  const auto refuse = [](const std::string& what) { throw InputError(what, true); };
  if (!(voxel > 0) || !std::isfinite(voxel))
    refuse("The voxel is " + text(voxel) +
           " m (it must be a positive number). Give the distance between two sites in metres.");
  if (surface.triangles.empty()) refuse("The surface has no triangles (nothing is inside). Give a closed surface.");
  for (const auto& v : surface.vertices)
    if (!std::isfinite(length(v)))
      refuse("A vertex of the surface has a coordinate that is not a finite number. Repair the surface.");
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max());
  if (openings.size() > most)
    refuse("There are " + std::to_string(openings.size()) + " openings (at most 32767 are allowed). Remove some.");
  for (const auto& opening : openings) {
    const double n = length(opening.normal);
    if (!(opening.radius > 0) || !std::isfinite(opening.radius))
      refuse("Opening \"" + opening.name + "\" has a radius of " + text(opening.radius) +
             " m (a radius is positive). Correct it.");
    if (!(n > 0) || !std::isfinite(n) || !std::isfinite(length(opening.centre)))
      refuse("Opening \"" + opening.name +
             "\" has a centre or a normal that is not finite, or a normal of length 0 (the normal points into the "
             "fluid). Correct them.");
  }
}

// Sites lie half a voxel from the bounding box, so that walls along its faces lie half-way between sites if its size is
// a multiple of the voxel; one more layer of sites outside makes every neighbour of a fluid site a site. If one site is
// given, the others lie whole voxels from it, the outermost ones outside.
Grid make_grid(const Surface& surface, double voxel, const std::optional<Vector>& a_site) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vector low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  for (const auto& t : surface.triangles)
    for (const auto v : t)
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], surface.vertices[v][k]);
        high[k] = std::max(high[k], surface.vertices[v][k]);
      }
  Grid grid;
  grid.voxel = voxel;
  std::array<double, 3> extent{};
  for (std::size_t k = 0; k < 3; ++k) {
    grid.origin[k] = low[k] - 0.5 * voxel;
    extent[k] = std::ceil((high[k] - low[k]) / voxel - 1e-6) + 2;
    if (!a_site) continue;
    const double first = std::ceil((low[k] - (*a_site)[k]) / voxel) - 1;
    grid.origin[k] = (*a_site)[k] + first * voxel;
    extent[k] = std::floor((high[k] - (*a_site)[k]) / voxel) + 2 - first;
  }
  constexpr double most_along = 1U << 30U;
  constexpr double most_columns = 2e9;
  const bool fits = extent[0] * extent[1] <= most_columns;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!fits || !(extent[k] <= most_along))
      throw InputError("A voxel of " + text(voxel) + " m gives a lattice of " + text(extent[0]) + " x " +
                           text(extent[1]) + " x " + text(extent[2]) +
                           " sites (at most 2^30 along each axis and 2e9 columns are allowed). Use a larger voxel, or "
                           "correct the surface's unit.",
                       true);
    grid.extent[k] = static_cast<std::int32_t>(extent[k]);
  }
  return grid;
}

// Distance from the opening's centre to the nearest site inside the surface, metres.
double nearest_site(Transport& transport, const detail::Share& share, const Grid& grid, const Opening& opening) {
  double least = std::numeric_limits<double>::max();
  for (const auto& run : share.runs) {
    auto p = run.first;
    const double z = std::round((opening.centre[2] - grid.origin[2]) / grid.voxel);
    p[2] = static_cast<std::int32_t>(std::clamp<double>(z, run.first[2], run.last_z()));
    least = std::min(least, length(grid.centre(p) - opening.centre));
  }
  return all_reduce(transport, least, minimum<double>());
}

// Throws unless there are sites at each opening.
void check_openings(Transport& transport, const detail::Share& share, const Grid& grid,
                    const std::vector<Opening>& openings, const std::vector<std::int64_t>& sites) {
  for (std::size_t o = 0; o < openings.size(); ++o) {
    const auto behind = total(transport, share.met_from_behind[o]);
    if (sites[o] > 0) continue;
    const auto& opening = openings[o];
    if (behind > 0)
      throw InputError("Opening \"" + opening.name +
                           "\" has a normal that points out of the vessel (all fluid at its disc lies behind it). "
                           "Reverse the normal, so that it points into the fluid.",
                       true);
    throw InputError("Opening \"" + opening.name + "\" has no fluid site at its disc (the nearest is " +
                         text(nearest_site(transport, share, grid, opening)) + " m from its centre, its radius is " +
                         text(opening.radius) + " m, the voxel " + text(grid.voxel) +
                         " m). Correct its centre and radius, or use a smaller voxel.",
                     true);
  }
}

}  // namespace

Domain make_domain(Transport& transport, const Surface& surface, const std::vector<Opening>& openings, double voxel,
                   SetupReport& report, const std::optional<Vector>& a_site) {
  const double start = now_seconds();
  check(surface, openings, voxel);
  Domain domain;
  domain.grid = make_grid(surface, voxel, a_site);
  domain.openings = openings;
  report = {};

  const detail::Tiling tiling(domain.grid, transport.size());
  const auto discs = detail::make_discs(openings, domain.grid);
  detail::Share share;
  // Several ranks are the parallelism themselves.
  const int threads = transport.size() == 1 ? static_cast<int>(std::min(std::thread::hardware_concurrency(), 8U)) : 1;
  together(transport,
           [&] { share = detail::voxelise(surface, discs, domain.grid, tiling, transport.rank(), threads); });
  const auto inside = total(transport, static_cast<std::int64_t>(share.fluid.size()));
  if (inside == 0)
    throw InputError("No site lies inside the surface (the voxel of " + text(voxel) +
                         " m is wider than the vessel). Use a smaller voxel, or correct the surface's unit.",
                     true);
  report.opening_sites = detail::sites_at_openings(transport, share, openings.size());
  check_openings(transport, share, domain.grid, openings, report.opening_sites);
  detail::divide_share(transport, share, tiling, start, domain, report);
  return domain;
}

}  // namespace weft::geometry
