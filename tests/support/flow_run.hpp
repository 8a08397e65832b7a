// SPDX-License-Identifier: BSD-3-Clause
//
// Small runs of `weft flow`'s clients on tubes, over any transport.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "flow/outlets/outlets.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "phantom/tube_tree.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

/// The state of one site, for bitwise comparison.
struct SiteState {
  std::int64_t id;
  geometry::Position position;
  double density;
  std::array<double, 3> velocity;
  bool operator==(const SiteState&) const = default;
};

/// A straight tube in simple units: voxel 1 (metre), so that lengths are in sites.
struct TubeCase {
  double radius = 6;
  double length = 24;
  geometry::Vector axis{1, 0.35, 0.2};
  double tau = 0.8;
  OpeningCase inlet, outlet;

  Case make() const {
    Case c;
    c.file = "tube";
    c.surface.voxel = 1;
    c.fluid.density = 1;
    c.fluid.viscosity = 1;  // with dx = 1 m: dt = nu_lattice
    c.lattice.time_step = (tau - 0.5) / 3;
    c.run.steps = 1;
    c.output.summary = false;  // its pictures would take longer than such a run
    c.openings = {inlet, outlet};
    const auto a = geometry::normalised(axis);
    c.openings[0].disc = {geometry::Opening::Kind::inlet, "inlet", {0, 0, 0}, a, radius};
    c.openings[1].disc = {geometry::Opening::Kind::outlet, "outlet", geometry::operator*(length, a),
                          geometry::operator*(-1.0, a), radius};
    return c;
  }
  geometry::Surface surface() const {
    return phantom::make_tube({0, 0, 0}, geometry::operator*(length, geometry::normalised(axis)), radius, 96, 4);
  }
};

inline Vessel make_vessel(Transport& transport, const Case& c, const geometry::Surface& surface) {
  Vessel vessel;
  vessel.scaling = make_scaling(c);
  vessel.domain = geometry::make_domain(transport, surface, c.discs(), c.surface.voxel, vessel.setup);
  vessel.given = surface;
  vessel.lumens = geometry::find_lumens(surface, c.discs(), c.surface.voxel);
  return vessel;
}

/// The result of a run: on rank 0 all sites, sorted; on every rank the last row of the monitors.
struct RunState {
  std::vector<SiteState> sites;
  MonitorRow row;
  StepCounts counts;
};

struct RunSettings {
  std::int64_t steps = 100;
  std::int64_t monitor_every = 1;
  MonitorCase monitor{};  // except for its `every`, which is the one above
  StepOptions step{};
  std::function<void(const MonitorRow&)> on_row = [](const MonitorRow&) {};
};

inline RunState run_clients(Transport& transport, const Case& c, const Vessel& vessel, const RunSettings& settings) {
  auto lattice = make_lattice(transport, vessel, c);
  LatticeClient client(lattice, c, vessel.scaling, [&](std::int64_t step) {
    return step % settings.monitor_every == 0 || step == settings.steps - 1 ? lattice::Diagnostics::fields
                                                                            : lattice::Diagnostics::nothing;
  });
  auto options = settings.monitor;
  options.every = settings.monitor_every;
  FlowMonitors monitors(transport, client, vessel, options, settings.on_row);
  StepManager manager(transport, settings.step);
  monitors.start(manager);
  Outlets outlets(transport, client, c, vessel);
  outlets.start(manager);
  manager.add("lattice", client);
  while (manager.step() < settings.steps) manager.run_step();
  monitors.finish();
  RunState state;
  state.row = monitors.row();
  state.counts = manager.counts();
  std::vector<SiteState> mine;
  const auto density = lattice.density();
  const auto velocity = lattice.velocity();
  for (std::size_t i = 0; i < density.size(); ++i)
    mine.push_back(
        {vessel.domain.grid.site_id(vessel.domain.sites[i]), vessel.domain.sites[i], density[i], velocity[i]});
  for (const auto& part : gather(transport, mine)) state.sites.insert(state.sites.end(), part.begin(), part.end());
  std::sort(state.sites.begin(), state.sites.end(), [](const SiteState& a, const SiteState& b) { return a.id < b.id; });
  return state;
}

}  // namespace weft::flow
