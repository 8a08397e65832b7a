// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel.hpp"

#include "flow/lumen/inflow_profiles.hpp"
#include "flow/lumen/site_lumens.hpp"
#include "geometry/surface.hpp"
#include "hemelb/gmy_domain.hpp"
#include "program/memory.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

Vessel from_surface_or_sites(Transport& transport, Case& c) {
  Vessel vessel;
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
  together(transport, [&] {
    surface = geometry::read_stl(c.surface.file, c.surface.metres_per_unit);
    vessel.capped_holes = geometry::close_surface(surface, c.discs(), c.surface.file, c.surface.metres_per_unit);
    vessel.lumens = geometry::find_lumens(surface, c.discs(), c.surface.voxel);
    use_lumens(c, vessel.lumens);
    vessel.scaling = make_scaling(c);
  });
  vessel.domain = geometry::make_domain(transport, surface, c.discs(), c.surface.voxel, vessel.setup, c.surface.origin);
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
