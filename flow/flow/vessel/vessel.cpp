// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/vessel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "flow/scaling/lattice_choice.hpp"
#include "flow/vessel/inflow_profiles.hpp"
#include "flow/vessel/lumens.hpp"
#include "hemelb/gmy_domain.hpp"
#include "program/memory.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft::flow {

namespace {

void count_sites(Transport& transport, Vessel& vessel) {
  for (auto& extension : vessel.extensions) {
    const auto mine = std::count_if(vessel.domain.sites.begin(), vessel.domain.sites.end(), [&](const auto& site) {
      return extension.shape.contains(vessel.domain.grid.centre(site));
    });
    extension.sites = all_reduce(transport, static_cast<std::int64_t>(mine), sum<std::int64_t>());
  }
}

Vessel from_surface_or_sites(Transport& transport, Case& c, VesselShape shape) {
  Vessel vessel;
  if (c.surface.is_gmy()) {
    hemelb::Gmy gmy;
    together(transport, [&] {
      make_scaling(c);  // throws before the sites are read if no time step fits
      gmy = hemelb::read_gmy(c.surface.file);
    });
    vessel.domain = hemelb::make_domain(transport, gmy, {c.surface.voxel, *c.surface.origin}, c.discs(), vessel.setup);
    vessel.lumens = lumens_of_sites(transport, vessel.domain);
    together(transport, [&] {
      use_lumens(c, vessel.lumens);
      choose_lattice(c);
      vessel.scaling = make_scaling(c);
    });
    return vessel;
  }
  find_openings(transport, c, shape);
  together(transport, [&] { vessel.scaling = make_scaling(c); });
  vessel.capped_holes = shape.capped_holes;
  vessel.repairs = std::move(shape.repairs);
  vessel.triangles = shape.surface.triangles.size();
  vessel.given = std::move(shape.given);
  vessel.lumens = std::move(shape.lumens);
  vessel.extensions = std::move(shape.extensions);
  vessel.centrelines = cut_centrelines(transport, c, shape.surface, vessel.lumens);
  vessel.domain =
      geometry::make_domain(transport, shape.surface, c.discs(), c.surface.voxel, vessel.setup, shape.a_site);
  count_sites(transport, vessel);
  return vessel;
}

// Each rank sends its peers the list of their values that its walls need.
void exchange_wall_requests(Transport& transport, lattice::SparseLattice& lattice) {
  if (lattice.wall() == lattice::Wall::half_way) return;  // on all ranks
  constexpr int tag = 0;
  const auto peers = lattice.peers();
  BytesByRank out;
  for (std::size_t k = 0; k < peers.size(); ++k) {
    const auto requests = lattice.wall_requests(k);
    if (requests.empty()) continue;
    const auto bytes = std::as_bytes(std::span(requests));
    out[peers[k].rank].assign(bytes.begin(), bytes.end());
  }
  for (const auto& [rank, bytes] : sparse_all_to_all(*transport.duplicate(), out, tag)) {
    std::vector<std::uint32_t> requests(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(requests.data(), bytes.data(), bytes.size());
    const auto peer = std::ranges::find(peers, rank, &lattice::SparseLattice::Peer::rank);
    lattice.grant_wall_requests(static_cast<std::size_t>(peer - peers.begin()), requests);
  }
}

}  // namespace

Vessel make_vessel(Transport& transport, Case& c) { return make_vessel(transport, c, read_shape(transport, c)); }

Vessel make_vessel(Transport& transport, Case& c, VesselShape shape) {
  const double start = now_seconds();
  auto vessel = from_surface_or_sites(transport, c, std::move(shape));
  vessel.setup_seconds = all_reduce(transport, now_seconds() - start, maximum<double>());
  vessel.setup_bytes = all_reduce(transport, program::resident_memory().most, sum<std::int64_t>());
  return vessel;
}

lattice::SparseLattice make_lattice(Transport& transport, const Vessel& vessel, const Case& c) {
  lattice::SparseLattice lattice(vessel.domain, transport.rank(), lattice_parameters(c, vessel.scaling));
  exchange_wall_requests(transport, lattice);
  const double density = vessel.scaling.lattice_density(vessel.scaling.initial_pressure);
  lattice.initialise([density](const geometry::Position&) { return density; },
                     [](const geometry::Position&) { return std::array<double, 3>{}; });
  prescribe_profiles(transport, lattice, c, vessel.scaling, vessel.domain, vessel.lumens);
  return lattice;
}

}  // namespace weft::flow
