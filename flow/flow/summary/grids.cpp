// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/grids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flow/case/case.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/resolution.hpp"
#include "program/readable.hpp"
#include "weft/error.hpp"

namespace weft::flow {

namespace {

double two_digits_below(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::floor(value / unit * (1 + 1e-12)) * unit;
}

bool has_averages(const Case& c) {
  const auto of_time = [](const auto& quantities) {
    return std::ranges::any_of(quantities, [](auto q) { return traits(q).of_time; });
  };
  return of_time(c.output.quantities) ||
         std::ranges::any_of(c.extracts, [&](const auto& e) { return of_time(e.quantities); });
}

/// Adds the table of wall shear stress for the comparison. In periodic flow it is the mean over the last beat. If the
/// last beat is not known beforehand (run.until), or the case has its own averages, running means are written after
/// each beat; the last two give the mean over the last beat.
void add_wall_extract(Case& c) {
  ExtractCase wall;
  wall.name = wall_extract;
  wall.shape = ExtractCase::Shape::surface;
  wall.format = ExtractCase::Format::csv;
  const auto period = common_period(c);
  wall.quantities = {period ? FieldQuantity::mean_wall_shear_stress : FieldQuantity::wall_shear_stress_magnitude};
  if (period && (has_averages(c) || c.run.until_periodic || !c.run.duration))
    wall.every_seconds = *period;
  else if (period)
    c.average.start = std::max(0.0, *c.run.duration - *period);
  c.extracts.push_back(std::move(wall));
}

std::string refusal(const Case& c, const std::string& why) {
  return fmt::format("{}: --convergence: {}", c.file.string(), why);
}

void check_beat(const Case& finest, const Scaling& scaling) {
  const auto period = common_period(finest);
  const double duration = scaling.time(steps_of(finest, scaling));
  if (!period || duration >= *period - scaling.dt) return;
  throw InputError(refusal(finest, fmt::format("The run takes {}, but a beat takes {} (means over the last beat are "
                                               "compared). Set run.duration to at least \"{}\".",
                                               program::with_prefix(duration, "s"), program::with_prefix(*period, "s"),
                                               program::with_prefix(*period, "s"))));
}

void check_lumens(const Case& finest, const Grids& grids) {
  const double coarsest = grids.factor(grids.sizes - 1) * finest.surface.voxel;
  if (resolves(finest, coarsest)) return;
  constexpr double fewest = 4;
  const auto lumen = coarsest_lumen(finest, coarsest);
  const double own = lumen.diameter / finest.surface.voxel;
  std::string remedy;
  const double ratio = std::floor(100 * std::pow(own / fewest, 1.0 / (grids.sizes - 1))) / 100;
  if (ratio >= Grids::least_ratio) remedy += fmt::format("--convergence-ratio to at most {}, or ", ratio);
  if (grids.sizes == 3 && own >= fewest * grids.ratio) remedy += "--convergence to 2, or ";
  throw InputError(refusal(
      finest, fmt::format("The coarsest voxel, {}, has only {:.2g} voxels across {} (at least {} are needed). Set "
                          "{}surface.voxel to at most \"{}\".",
                          program::with_prefix(coarsest, "m"), lumen.voxels, lumen.text(), fewest, remedy,
                          program::with_prefix(
                              two_digits_below(lumen.diameter / fewest / grids.factor(grids.sizes - 1)), "m"))));
}

}  // namespace

double Grids::factor(int number) const { return std::pow(ratio, number); }

std::string Grids::name(int number) const { return number == 0 ? "fine" : number + 1 < sizes ? "medium" : "coarse"; }

void check_grids(const Case& c, const Grids& grids) {
  const auto refuse = [&](const std::string& why) { throw InputError(refusal(c, why)); };
  if (!(grids.ratio >= Grids::least_ratio && grids.ratio <= Grids::most_ratio))
    refuse(fmt::format("The ratio of two voxels is {}. Give {} to {} (more than 1.3 is recommended).", grids.ratio,
                       Grids::least_ratio, Grids::most_ratio));
  if (c.surface.is_gmy())
    refuse(
        fmt::format("The voxel of {} can't be changed (a .gmy file has sites, not a surface). Give the surface that it "
                    "was made from.",
                    c.surface.file.filename().string()));
  if (std::ranges::any_of(c.extracts, [](const auto& e) { return e.name == wall_extract; }))
    refuse(fmt::format("An extract is called '{}' (a table of the study has this name). Rename the extract.",
                       wall_extract));
}

void check_finest(const Case& finest, const Scaling& scaling, const Grids& grids) {
  check_beat(finest, scaling);
  check_lumens(finest, grids);
}

Case finest_case(const Case& given, const Grids& grids) {
  Case c = given;
  c.output.directory /= grids.name(0);
  c.monitor.flow_rates = true;  // they are what is compared
  add_wall_extract(c);
  return c;
}

Case coarser_case(const Case& given, const Case& finest, const Scaling& scaling, const Grids& grids, int number) {
  Case c = given;
  c.surface.voxel = grids.factor(number) * scaling.dx;
  c.lattice.time_step = grids.factor(number) * scaling.dt;
  c.lattice.velocities = finest.lattice.velocities;
  c.lattice.velocities_are_chosen = false;
  if (c.run.steps) {
    c.run.duration = scaling.time(*c.run.steps);
    c.run.steps.reset();
  }
  c.output.directory /= grids.name(number);
  c.monitor.flow_rates = true;
  add_wall_extract(c);
  return c;
}

}  // namespace weft::flow
