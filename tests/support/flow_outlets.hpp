// SPDX-License-Identifier: BSD-3-Clause
//
// Tubes and forks whose outlets follow flows. Voxel and density 1, so that lengths are in sites.
#pragma once

#include "flow/case.hpp"
#include "flow/scaling.hpp"
#include "flow/vessel.hpp"
#include "tests/support/flow_run.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::flow {

/// Density x sound speed / area: what a sound wave meets at an opening.
inline double impedance_of(const Case& c, std::size_t opening) {
  const auto s = make_scaling(c);
  return s.density * s.speed_unit() / std::sqrt(3.0) / c.openings.at(opening).area();
}

/// A Y with an inlet, "left" and "right", at rest at first; its blocks are dealt to ranks as one likes.
struct Fork {
  double tau = 0.8;
  double speed = 0.01;  ///< lattice units, mean in the inlet

  Case make() const {
    const auto shape = test::fork(0.6);
    Case c;
    c.file = "fork";
    c.surface.voxel = 1;
    c.fluid.density = c.fluid.viscosity = 1;
    c.lattice.time_step = (tau - 0.5) / 3;
    c.run.steps = 1;
    for (const auto& disc : shape.openings) c.openings.push_back({.disc = disc, .value = {{{0, 0}}}});
    c.openings[0].kind = lattice::OpeningState::Kind::velocity;
    c.openings[0].value.points = {{0, speed / *c.lattice.time_step}};
    return c;
  }
  static void follow_share(OpeningCase& opening, double share) {
    opening.kind = lattice::OpeningState::Kind::velocity;
    opening.rule = OpeningCase::Rule::share;
    opening.value.points = {{0, share}};
  }
  static void follow_windkessel(OpeningCase& opening, const WindkesselCase& windkessel) {
    opening.rule = OpeningCase::Rule::windkessel;
    opening.windkessel = windkessel;
  }
  static Vessel vessel(const Case& c, int rank, int ranks, const test::Deal& deal = test::deal_in_turn) {
    Vessel vessel;
    vessel.scaling = make_scaling(c);
    vessel.domain = test::ShapeDomains(test::fork(0.6), ranks, deal).all()[static_cast<std::size_t>(rank)];
    vessel.setup.sites = vessel.domain.global_sites;
    return vessel;
  }
};

}  // namespace weft::flow
