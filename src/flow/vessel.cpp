// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "flow/lumen/inflow_profiles.hpp"
#include "flow/lumen/site_lumens.hpp"
#include "geometry/surface.hpp"
#include "hemelb/gmy_domain.hpp"
#include "program/memory.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

// Where make_domain would put a site, so that an extension leaves the vessel's sites where they are.
geometry::Vector first_site(const geometry::Surface& surface, double voxel) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  geometry::Vector low{infinity, infinity, infinity};
  for (const auto& t : surface.triangles)
    for (const auto v : t)
      for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], surface.vertices[v][k]);
  for (auto& x : low) x -= 0.5 * voxel;
  return low;
}

// `a_site`: where one of the sites is to lie.
void extend(geometry::Surface& surface, Case& c, Vessel& vessel, std::optional<geometry::Vector>& a_site) {
  auto discs = c.discs();
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    auto& opening = c.openings[k];
    if (!opening.extension.is_wanted()) continue;
    if (!a_site) a_site = first_site(surface, c.surface.voxel);
    try {
      vessel.extensions.push_back(
          {k, geometry::extend_opening(surface, discs, k, opening.extension, c.surface.voxel, c.surface.metres_per_unit)});
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}: extension of opening '{}': {}", c.file.string(), opening.disc.name, e.what()));
    }
    opening.disc_given = opening.disc;
    opening.disc = discs[k];
  }
}

void count_sites(Transport& transport, Vessel& vessel) {
  for (auto& extension : vessel.extensions) {
    const auto mine = std::count_if(vessel.domain.sites.begin(), vessel.domain.sites.end(),
                                    [&](const auto& site) { return extension.shape.contains(vessel.domain.grid.centre(site)); });
    extension.sites = all_reduce(transport, static_cast<std::int64_t>(mine), sum<std::int64_t>());
  }
}

Vessel from_surface_or_sites(Transport& transport, Case& c) {
  Vessel vessel;
  for (auto& opening : c.openings)  // of a vessel that was made before
    if (opening.disc_given) opening.disc = *opening.disc_given;
  if (c.surface.is_gmy()) {
    hemelb::Gmy gmy;
    together(transport, [&] {
      make_scaling(c);  // refuses what can't be before the sites are read
      gmy = hemelb::read_gmy(c.surface.file);
    });
    vessel.domain = hemelb::make_domain(transport, gmy, {c.surface.voxel, *c.surface.origin}, c.discs(), vessel.setup);
    vessel.lumens = lumens_of_sites(transport, vessel.domain);
    together(transport, [&] {
      use_lumens(c, vessel.lumens);
      vessel.scaling = make_scaling(c);
    });
    return vessel;
  }
  geometry::Surface surface;
  auto a_site = c.surface.origin;
  together(transport, [&] {
    surface = geometry::read_stl(c.surface.file, c.surface.metres_per_unit);
    vessel.capped_holes = geometry::close_surface(surface, c.discs(), c.surface.file, c.surface.metres_per_unit);
    extend(surface, c, vessel, a_site);
    vessel.lumens = geometry::find_lumens(surface, c.discs(), c.surface.voxel);
    use_lumens(c, vessel.lumens);
    vessel.scaling = make_scaling(c);
  });
  vessel.domain = geometry::make_domain(transport, surface, c.discs(), c.surface.voxel, vessel.setup, a_site);
  count_sites(transport, vessel);
  return vessel;
}

}  // namespace

Vessel make_vessel(Transport& transport, Case& c) {
  const double start = now_seconds();
  auto vessel = from_surface_or_sites(transport, c);
  vessel.setup_seconds = all_reduce(transport, now_seconds() - start, maximum<double>());
  vessel.setup_bytes = all_reduce(transport, program::resident_memory().most, sum<std::int64_t>());
  return vessel;
}

lattice::SparseLattice make_lattice(Transport& transport, const Vessel& vessel, const Case& c) {
  lattice::SparseLattice lattice(vessel.domain, transport.rank(), lattice_parameters(c, vessel.scaling));
  lattice.initialise([](const geometry::Position&) { return 1.0; },
                     [](const geometry::Position&) { return std::array<double, 3>{}; });
  prescribe_profiles(transport, lattice, c, vessel.scaling, vessel.lumens);
  return lattice;
}

}  // namespace weft::flow
