// SPDX-License-Identifier: BSD-3-Clause
//
// Tubes and forks with outlets that depend on the flow. Voxel and density are 1, so that lengths are in sites.
#pragma once

#include "flow/case/case.hpp"
#include "flow/outlets/outlet_fit.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/vessel/vessel.hpp"
#include "tests/support/flow_run.hpp"
#include "tests/support/shape_catalogue.hpp"
#include "weft/error.hpp"

namespace weft::flow {

/// Density x sound speed / area: the impedance of an opening to a sound wave.
inline double impedance_of(const Case& c, std::size_t opening) {
  const auto s = make_scaling(c);
  return s.density * s.speed_unit() / std::sqrt(3.0) / c.openings.at(opening).area();
}

/// A Y with an inlet, "left" and "right", initially at rest; its blocks can be distributed in any way.
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
    c.output.summary = false;
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

/// A pump and its vessels, in the lattice's scales: the root feeds the fork's inlet, "left" empties into the bed,
/// "right" into a windkessel of its own or also into the bed.
inline Case pumped_fork() {
  auto c = Fork().make();
  const double z = impedance_of(c, 1), dt = *c.lattice.time_step;
  const double capacitance = 200 * dt / z, period = 400 * dt, stiffness = 1 / capacitance;
  c.circulation.compartments = {{.name = "pump",
                                 .elastance = ElastanceCase{0.3 * stiffness, 1.5 * stiffness, period},
                                 .volume = 1.2 * capacitance},
                                {.name = "root", .capacitance = capacitance, .volume = 0.5 * capacitance},
                                {.name = "bed", .capacitance = 3 * capacitance, .volume = 0.9 * capacitance}};
  c.circulation.connections = {{"out", 0, 1, 0.2 * z, 0, true}, {"back", 2, 0, 0.5 * z, 2 * z * dt, true}};
  for (std::size_t k = 0; k < 3; ++k) {
    auto& opening = c.openings[k];
    const std::size_t compartment = k == 0 ? 1 : 2;
    opening.kind = lattice::OpeningState::Kind::pressure;
    opening.rule = OpeningCase::Rule::compartment;
    opening.compartment = compartment;
    opening.compartment_name = c.circulation.compartments[compartment].name;
    opening.windkessel = {.proximal = k == 2 ? z : 0,
                          .initial = c.circulation.compartments[compartment].volume *
                                     c.circulation.compartments[compartment].stiffness(0)};
    opening.value.points = {{0, opening.windkessel.initial}};
  }
  return c;
}

/// A fork whose inlet has a beat of `steps` steps, in the lattice's scales: target pressures are in units of an
/// impedance times the mean flow.
inline Case beating_fork(double steps) {
  auto c = Fork{.speed = 0.004}.make();
  const double dt = *c.lattice.time_step, z = impedance_of(c, 1);
  const double mean = c.openings[0].value.at(0), period = steps * dt;
  c.openings[0].value.points.clear();
  c.openings[0].value.cosine = Cosine{.mean = mean, .amplitude = -0.6 * mean, .period = period};
  for (const std::size_t k : {1U, 2U}) {
    c.openings[k].rule = OpeningCase::Rule::windkessel;
    c.openings[k].tuned = true;
    c.openings[k].value.points = {{0, 0}};
  }
  const double scale = mean * c.openings[0].area() * z;
  c.tune = {.wanted = true, .systolic = 10 * scale, .diastolic = 6 * scale, .share = {0, 0.6, 0.4}};
  if (fit_outlets(c)) throw Error(*fit_outlets(c));
  return c;
}

}  // namespace weft::flow
