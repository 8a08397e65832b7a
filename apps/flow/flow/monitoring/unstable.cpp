// SPDX-License-Identifier: BSD-3-Clause
#include "flow/monitoring/unstable.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "flow/scaling/validity.hpp"
#include "program/readable.hpp"

namespace weft::flow {

using geometry::operator-;

namespace {

constexpr double cumulant_cost = 1.3;  // times a two-relaxation-time step
constexpr double near_radii = 4;       // an opening's doing, seen so far from its centre

std::string in_unit(const Case& c, double metres) { return fmt::format("{:.4g}", metres / c.surface.metres_per_unit); }

struct Nearest {
  const OpeningCase* opening = nullptr;
  double distance = std::numeric_limits<double>::infinity();  // m, from its centre
  bool is_near() const { return opening != nullptr && distance < near_radii * opening->disc.radius; }
};

Nearest nearest_opening(const Case& c, const Breakdown& b) {
  Nearest nearest;
  if (!b.place) return nearest;
  for (const auto& opening : c.openings)
    if (const double d = geometry::length(opening.disc.centre - *b.place); d < nearest.distance)
      nearest = {&opening, d};
  return nearest;
}

std::string place_words(const Case& c, const Scaling& s, const Breakdown& b, const Nearest& nearest) {
  if (!b.place) return "at a place that no rank knows";
  const auto& p = *b.place;
  const auto unit = c.surface.unit_name();
  auto text = "at " + c.surface.place_text(p);
  if (nearest.opening != nullptr)
    text += fmt::format(", {} {} from the centre of {} '{}'", in_unit(c, nearest.distance), unit,
                        nearest.opening->disc.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet",
                        nearest.opening->disc.name);
  if (b.wall_distance < 0) return text;
  return text + (b.wall_distance <= 2 * s.dx
                     ? ", beside a wall"
                     : fmt::format(", {} {} from the nearest wall", in_unit(c, b.wall_distance), unit));
}

/// Each change with the time that the run would take with it, as far as that is known.
std::vector<std::string> remedies(const Case& c, const Scaling& s, const Known& known, const Nearest& nearest) {
  std::vector<std::string> list;
  const auto with_time = [&](const std::string& change, double seconds) {
    list.push_back(seconds > 0 ? fmt::format("{} ({})", change, program::time_words(seconds)) : change);
  };
  const double now = cost_of(c, s, known).seconds;
  const bool has_cumulant = c.lattice.collision == lattice::Collision::cumulant;
  if (!has_cumulant && c.lattice.velocities == lattice::VelocitySet::d3q15)
    with_time("lattice.velocities to \"D3Q19\" and lattice.collision to \"cumulant\"", now * cumulant_cost * 19 / 15);
  else if (!has_cumulant)
    with_time("lattice.collision to \"cumulant\"", now * cumulant_cost);
  if (nearest.is_near() && c.lattice.sponge == 0)
    with_time(fmt::format("lattice.sponge to \"{}\"", program::with_prefix(2 * nearest.opening->disc.radius, "m")),
              now);
  if (nearest.is_near() && !nearest.opening->extension.is_wanted()) {
    constexpr double diameters = 3;
    Known longer = known;
    longer.volume += diameters * 2 * nearest.opening->radius() * nearest.opening->area();
    with_time(fmt::format("extension of '{}' to \"{} diameters\"", nearest.opening->disc.name, diameters),
              cost_of(c, s, longer).seconds);
  }
  const auto shorter = [&](double factor) {
    Scaling other = s;
    other.dt = s.dt * factor;
    return other;
  };
  Case stepped = c;
  const auto half = shorter(0.5);
  Case cumulants = c;  // what is advised before may be there by then
  cumulants.lattice.collision = lattice::Collision::cumulant;
  if (half.tau() >= validity::lowest_tau(has_cumulant ? c.lattice : cumulants.lattice)) {
    const double factor = has_cumulant ? 1 : cumulant_cost;
    stepped.lattice.time_step = half.dt;
    with_time(fmt::format("lattice.time_step to {:.3g}", half.dt), factor * cost_of(stepped, half, known).seconds);
  }
  constexpr double finer = 0.75;
  const double unit = std::pow(10.0, std::floor(std::log10(finer * s.dx)) - 1);
  const double voxel = std::floor(finer * s.dx / unit) * unit;
  if (!c.surface.is_gmy()) {
    Scaling fine = s;
    fine.dx = voxel;
    fine.dt = s.dt * voxel / s.dx;  // the speed in voxels a step stays
    const auto cost = cost_of(c, fine, known);
    if (!(known.memory > 0) || cost.bytes < known.memory)
      list.push_back(known.volume > 0 ? fmt::format("surface.voxel to \"{}\" ({})", program::with_prefix(voxel, "m"),
                                                    cost.text(voxel))
                                      : fmt::format("surface.voxel to \"{}\"", program::with_prefix(voxel, "m")));
  }
  return list;
}

}  // namespace

std::string unstable_line(const Breakdown& b, const Case& c, const Scaling& s, const Known& known) {
  const auto nearest = nearest_opening(c, b);
  auto text =
      fmt::format("the flow became unstable in step {} (at {}) {} ({}).", b.step,
                  program::with_prefix(s.time(b.step), "s"), place_words(c, s, b, nearest),
                  b.population < 0 ? fmt::format("a population is negative: {:.3g}", b.population)
                                   : std::string("a population is not a number, or something is faster than sound"));
  const auto list = remedies(c, s, known, nearest);
  for (std::size_t k = 0; k < list.size(); ++k)
    text += (k == 0 ? " set " : k == 1 ? "; if that is not enough, " : ", then ") + list[k];
  return text + (list.empty() ? " let the flow rise more slowly." : ".");
}

}  // namespace weft::flow
