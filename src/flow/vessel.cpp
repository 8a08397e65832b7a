// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel.hpp"

#include "hemelb/gmy_domain.hpp"
#include "program/memory.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

Vessel from_surface_or_sites(Transport& transport, const Case& c, const VesselShape& shape) {
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
  together(transport, [&] { vessel.scaling = make_scaling(c); });
  vessel.capped_holes = shape.capped_holes;
  vessel.domain = geometry::make_domain(transport, shape.surface, c.discs(), c.surface.voxel, vessel.setup, c.surface.origin);
  return vessel;
}

}  // namespace

Vessel make_vessel(Transport& transport, const Case& c) { return make_vessel(transport, c, read_shape(transport, c)); }

Vessel make_vessel(Transport& transport, const Case& c, const VesselShape& shape) {
  const double start = now_seconds();
  auto vessel = from_surface_or_sites(transport, c, shape);
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
