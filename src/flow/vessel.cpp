// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel.hpp"

#include "geometry/surface.hpp"
#include "hemelb/gmy_domain.hpp"
#include "program/memory.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

Vessel from_surface_or_sites(Transport& transport, const Case& c) {
  Vessel vessel;
  if (c.surface.is_gmy()) {
    hemelb::Gmy gmy;
    together(transport, [&] {
      vessel.scaling = make_scaling(c);
      gmy = hemelb::read_gmy(c.surface.file);
    });
    vessel.domain = hemelb::make_domain(transport, gmy, {c.surface.voxel, *c.surface.origin}, c.discs(), vessel.setup);
    return vessel;
  }
  geometry::Surface surface;
  together(transport, [&] {
    vessel.scaling = make_scaling(c);
    surface = geometry::read_stl(c.surface.file, c.surface.metres_per_unit);
    vessel.capped_holes = geometry::close_surface(surface, c.discs(), c.surface.file, c.surface.metres_per_unit);
  });
  vessel.domain = geometry::make_domain(transport, surface, c.discs(), c.surface.voxel, vessel.setup, c.surface.origin);
  return vessel;
}

}  // namespace

Vessel make_vessel(Transport& transport, const Case& c) {
  const double start = now_seconds();
  auto vessel = from_surface_or_sites(transport, c);
  vessel.setup_seconds = all_reduce(transport, now_seconds() - start, maximum<double>());
  vessel.setup_bytes = all_reduce(transport, program::resident_memory().most, sum<std::int64_t>());
  return vessel;
}

lattice::SparseLattice make_lattice(const Vessel& vessel, const Case& c, int rank) {
  lattice::SparseLattice lattice(vessel.domain, rank, lattice_parameters(c, vessel.scaling));
  lattice.initialise([](const geometry::Position&) { return 1.0; },
                     [](const geometry::Position&) { return std::array<double, 3>{}; });
  return lattice;
}

}  // namespace weft::flow
