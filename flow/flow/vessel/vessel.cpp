// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/vessel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "flow/scaling/lattice_choice.hpp"
#include "flow/vessel/inflow_profiles.hpp"
#include "flow/vessel/lumens.hpp"
#include "geometry/boundary.hpp"
#include "geometry/outside.hpp"
#include "geometry/read_surface.hpp"
#include "geometry/repair.hpp"
#include "hemelb/gmy.hpp"
#include "hemelb/gmy_domain.hpp"
#include "program/memory.hpp"
#include "program/same_file.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
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

lattice::SparseLattice make_trial_lattice(Transport& transport, const Vessel& vessel, const Case& c) {
  lattice::SparseLattice lattice(vessel.domain, transport.rank(), lattice_parameters(c, vessel.scaling));
  exchange_wall_requests(transport, lattice);
  return lattice;
}

lattice::SparseLattice make_lattice(Transport& transport, const Vessel& vessel, const Case& c) {
  auto lattice = make_trial_lattice(transport, vessel, c);
  const double density = vessel.scaling.lattice_density(vessel.scaling.initial_pressure);
  lattice.initialise([density](const geometry::Position&) { return density; },
                     [](const geometry::Position&) { return std::array<double, 3>{}; });
  prescribe_profiles(transport, lattice, c, vessel.scaling, vessel.domain, vessel.lumens);
  return lattice;
}

namespace {

// Uses the file's table, which has the number of sites of each block; reads no block.
void look_at_gmy(const Case& c, VesselShape& shape) {
  const auto gmy = hemelb::read_gmy(c.surface.file);
  hemelb::GmyFile file(gmy);
  std::vector<hemelb::BlockRecord> column;
  double sites = 0;
  for (std::uint64_t k = 0; k < gmy.columns(); ++k) {
    file.column(k, column);
    for (const auto& block : column) sites += block.sites;
  }
  shape.volume = sites * std::pow(c.surface.voxel, 3);
  const auto extent = gmy.extent();
  shape.lowest = *c.surface.origin;
  for (std::size_t d = 0; d < 3; ++d) shape.highest[d] = shape.lowest[d] + c.surface.voxel * extent[d];
}

// The position where make_domain would place a site without the extensions, so that these do not move the vessel's
// sites.
geometry::Vector first_site(const geometry::Surface& surface, double voxel) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  geometry::Vector low{infinity, infinity, infinity};
  for (const auto& t : surface.triangles)
    for (const auto v : t)
      for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], surface.vertices[v][k]);
  for (auto& x : low) x -= 0.5 * voxel;
  return low;
}

// `a_site`: position of one site.
void extend(geometry::Surface& surface, Case& c, VesselShape& shape, std::optional<geometry::Vector>& a_site) {
  auto discs = c.discs();
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    auto& opening = c.openings[k];
    if (!opening.extension.is_wanted()) continue;
    if (!a_site) a_site = first_site(surface, c.surface.voxel);
    try {
      shape.extensions.push_back({k, geometry::extend_opening(surface, discs, k, opening.extension, c.surface.voxel,
                                                              c.surface.metres_per_unit)});
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}: Extension of opening '{}': {}", c.file.string(), opening.disc.name, e.what()));
    }
    opening.disc_given = opening.disc;
    opening.disc = discs[k];
  }
}

}  // namespace

double VesselShape::longest() const {
  return std::max({highest[0] - lowest[0], highest[1] - lowest[1], highest[2] - lowest[2]});
}

VesselShape read_shape(Transport& transport, Case& c) {
  VesselShape shape;
  for (const auto& opening : c.openings) program::check_same_file(transport, opening.value.file);
  program::check_same_file(transport, c.surface.file);
  for (auto& opening : c.openings)  // if the case was used for a vessel before
    if (opening.disc_given) opening.disc = *opening.disc_given;
  together(transport, [&] {
    if (c.surface.is_gmy()) return look_at_gmy(c, shape);
    shape.surface = geometry::read_surface(c.surface.file, c.surface.metres_per_unit);
    for (auto& repair : geometry::repair_surface(shape.surface, c.surface.metres_per_unit))
      shape.repairs.push_back(std::move(repair.text));
    const auto triangles = shape.surface.triangles.size(), vertices = shape.surface.vertices.size();
    geometry::check_discs(shape.surface, c.discs(), c.surface.file, c.surface.metres_per_unit);
    shape.capped_holes = geometry::close_surface(shape.surface, c.discs(), c.surface.file, c.surface.metres_per_unit);
    if (std::ranges::any_of(c.extracts, [](const ExtractCase& e) { return e.is(ExtractCase::Shape::triangles); })) {
      shape.given = shape.surface;  // the caps are at the end
      shape.given.triangles.resize(triangles);
      shape.given.vertices.resize(vertices);
    }
    shape.volume = geometry::volume_of(shape.surface);
    shape.lowest = shape.highest = shape.surface.vertices.front();
    for (const auto& v : shape.surface.vertices)
      for (std::size_t d = 0; d < 3; ++d)
        shape.lowest[d] = std::min(shape.lowest[d], v[d]), shape.highest[d] = std::max(shape.highest[d], v[d]);
  });
  return shape;
}

void find_openings(Transport& transport, Case& c, VesselShape& shape) {
  if (shape.has_openings || c.surface.is_gmy()) return;
  shape.a_site = c.surface.origin;
  together(transport, [&] {
    extend(shape.surface, c, shape, shape.a_site);
    if (!shape.extensions.empty()) shape.volume = geometry::volume_of(shape.surface);
    shape.lumens = geometry::find_lumens(shape.surface, c.discs(), c.surface.voxel);
    use_lumens(c, shape.lumens);
    c.parts = geometry::parts_of_openings(shape.surface, c.discs(), c.surface.voxel);
  });
  std::vector<NarrowLumen> narrow;
  on_root(transport, [&] {
    if (const auto found = narrowest_lumen(shape.surface, c)) narrow.push_back(*found);
  });
  narrow = broadcast(transport, narrow);
  c.narrow = narrow.empty() ? std::nullopt : std::optional(narrow.front());
  choose_lattice(c);
  shape.has_openings = true;
}

}  // namespace weft::flow
