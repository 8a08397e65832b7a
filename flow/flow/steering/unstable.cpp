// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/unstable.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "program/readable.hpp"

namespace weft::flow {

using geometry::operator-;

namespace {

std::string in_unit(const Case& c, double metres) { return fmt::format("{:.4g}", metres / c.surface.metres_per_unit); }

std::string place_words(const Case& c, const Scaling& s, const Breakdown& b, const NearestOpening& nearest) {
  const auto unit = c.surface.unit_name();
  auto text = "at " + c.surface.place_text(b.place);
  if (nearest.opening != nullptr)
    text += fmt::format(", {} {} from the centre of {} '{}'", in_unit(c, nearest.distance), unit,
                        nearest.opening->disc.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet",
                        nearest.opening->disc.name);
  if (b.wall_distance < 0) return text;
  return text + (b.wall_distance <= 2 * s.dx
                     ? ", beside a wall"
                     : fmt::format(", {} {} from the nearest wall", in_unit(c, b.wall_distance), unit));
}

/// Of the trials that were unstable with the case's setting, how many were stable with the change: docs/validation.md,
/// "What helps an unstable flow". Only tested changes are advised.
struct Proof {
  int held = 0, tried = 0;
};
constexpr Proof cumulants{21, 21}, d3q27{8, 8}, smagorinsky{8, 8};

/// Each remedy with its proof, and the run time with it, if known.
std::vector<std::string> remedies(const Case& c, const Scaling& s, const Known& known) {
  std::vector<std::string> list;
  const double now = cost_of(c, s, known).seconds;
  const auto add = [&](const std::string& change, const Proof& proof, double cost) {
    list.push_back(fmt::format("{} ({} of {} such flows stayed stable with it{})", change, proof.held, proof.tried,
                               now > 0 ? ", " + program::time_words(cost * now) : ""));
  };
  constexpr double cumulant_cost = 1.3, d3q27_cost = 2.2, smagorinsky_cost = 1.1;  // relative duration of a step
  if (c.lattice.collision != lattice::Collision::cumulant) {
    if (c.lattice.velocities == lattice::VelocitySet::d3q15)
      add("lattice.velocities to \"D3Q19\" and lattice.collision to \"cumulant\"", cumulants, cumulant_cost * 19 / 15);
    else
      add("lattice.collision to \"cumulant\"", cumulants, cumulant_cost);
    return list;  // the following changes were tested with cumulants
  }
  if (c.lattice.velocities != lattice::VelocitySet::d3q27) add("lattice.velocities to \"D3Q27\"", d3q27, d3q27_cost);
  if (c.lattice.smagorinsky == 0) add("lattice.turbulence to \"smagorinsky\"", smagorinsky, smagorinsky_cost);
  return list;
}

}  // namespace

NearestOpening nearest_opening(const Case& c, const geometry::Vector& place) {
  NearestOpening nearest;
  for (const auto& opening : c.openings)
    if (const double d = geometry::length(opening.disc.centre - place); d < nearest.distance) nearest = {&opening, d};
  return nearest;
}

std::string cause_text(const Breakdown& b) {
  switch (b.cause) {
    case Breakdown::Cause::negative_population: return fmt::format("a population is negative: {:.3g}", b.value);
    case Breakdown::Cause::density:
      return fmt::format("a density is not positive: {:.3g} of the reference density", b.value);
    case Breakdown::Cause::speed: return fmt::format("the flow is faster than sound: Mach number {:.3g}", b.value);
    case Breakdown::Cause::not_a_number: break;
  }
  return "a population is not a number";
}

std::string unstable_line(const Breakdown& b, const Case& c, const Scaling& s, const Known& known) {
  const auto nearest = nearest_opening(c, b.place);
  auto text = fmt::format("The flow became unstable in step {} (at {}) {} ({}).", b.step,
                          program::with_prefix(s.time(b.step), "s"), place_words(c, s, b, nearest), cause_text(b));
  const auto list = remedies(c, s, known);
  for (std::size_t k = 0; k < list.size(); ++k)
    text += (k == 0 ? " Set " : k == 1 ? "; if that is not enough, " : ", then ") + list[k];
  return text +
         (list.empty()
              ? " The case already has every setting that was found to help such flows. Check its speeds and units."
              : ".");
}

}  // namespace weft::flow
