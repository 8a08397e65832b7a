// SPDX-License-Identifier: BSD-3-Clause
#include "bench/accuracy/tube_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <filesystem>
#include <limits>
#include <map>
#include <numbers>

#include "bench/workload/surface_file.hpp"
#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/run/simulation.hpp"
#include "flow/vessel/vessel.hpp"
#include "flow/vessel/womersley.hpp"
#include "phantom/tube_tree.hpp"
#include "program/scratch_folder.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

using geometry::operator*;
using geometry::dot;
using geometry::Vector;

namespace {

constexpr double tube_radius = 1e-3, tube_length = 16 * tube_radius;  // m
constexpr double tube_density = 1060, tube_viscosity = 3.5e-3;        // weft flow's defaults
constexpr double tube_kinematic = tube_viscosity / tube_density;
constexpr std::array<double, 2> sections = {8 * tube_radius, 13 * tube_radius};
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double mean_velocity(const TubeRun& tube) { return tube.reynolds * tube_kinematic / (2 * tube_radius); }

std::string millimetres(const Vector& v) {
  return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", 1e3 * v[0], 1e3 * v[1], 1e3 * v[2]);
}
std::string direction(const Vector& v) { return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", v[0], v[1], v[2]); }

struct Wanted {
  std::string velocity;  ///< keys of the inlet
  double duration = 0;   ///< s
  std::string every;     ///< key of the wall extract
};

std::string case_text(const TubeRun& tube, const Wanted& wanted) {
  const auto axis = geometry::normalised(tube.axis);
  auto text = fmt::format(
      "[surface]\nfile = \"tube.stl\"\nunit = \"mm\"\nvoxel = {:.17g}\n[fluid]\ndensity = {}\nviscosity = {}\n"
      "[[inlet]]\nname = \"in\"\ncentre = [0, 0, 0]\nnormal = {}\nradius = {:.9g}\n{}\n"
      "[[outlet]]\nname = \"out\"\ncentre = {}\nnormal = {}\nradius = {:.9g}\npressure = 0\n"
      "[run]\nduration = {:.9g}\n[output]\nsummary = false\n",
      2 * tube_radius / tube.voxels, tube_density, tube_viscosity, direction(axis), 1e3 * tube_radius, wanted.velocity,
      millimetres(tube_length * axis), direction(-1.0 * axis), 1e3 * tube_radius, wanted.duration);
  for (const double at : sections)
    text += fmt::format("[[section]]\nname = \"at{:.0f}\"\ncentre = {}\nnormal = {}\nradius = {:.9g}\n",
                        at / tube_radius, millimetres(at * axis), direction(axis), 1.3e3 * tube_radius);
  text += fmt::format(
      "[[extract]]\nname = \"wall\"\nshape = \"surface\"\nformat = \"vtkhdf\"\ncentre = {}\nradius = {:.9g}\n{}"
      "quantities = [\"wall_shear_stress\"]\n",
      millimetres(0.5 * tube_length * axis), 3e3 * tube_radius, wanted.every);
  return text;
}

/// Runs the tube. `at_wall` gets the wall stresses of this rank's sites; `on_row` is called on rank 0. False if the
/// flow became unstable.
bool run_tube(mpi::Communicator& world, const TubeRun& tube, const Wanted& wanted,
              const std::function<void(double time, std::span<const double> drags)>& at_wall,
              const std::function<void(double time, const flow::MonitorRow&)>& on_row) {
  const program::ScratchFolder folder(world, "accuracy");
  const auto axis = geometry::normalised(tube.axis);
  on_root(world, [&] {
    write_stl(folder.path() / "tube.stl", phantom::make_tube({0, 0, 0}, tube_length * axis, tube_radius, 256, 8));
    write_text(folder.path() / "case.toml", case_text(tube, wanted));
  });
  flow::Case c;
  together(world, [&] { c = flow::read_case(folder.path() / "case.toml", tube.changes); });
  const auto vessel = flow::make_vessel(world, c);
  flow::RunOptions options{.settings = {.quiet = true}};
  options.hooks.on_row = [&](const flow::MonitorRow& row, std::span<const double>) {
    on_row(vessel.scaling.time(row.step + 1), row);
  };
  const auto write = [&](std::int64_t, double time, std::span<const flow::CellValues> values) {
    for (const auto& v : values)
      if (v.name == "wall_shear_stress") at_wall(time, v.values);
    return std::filesystem::path();
  };
  try {
    flow::run(static_cast<Transport&>(world), c, vessel, options, write);
  } catch (const flow::UnstableRun&) {
    return false;
  }
  return true;
}

/// The complex amplitude of the first harmonic of samples (time, value), by a least-squares fit of a constant, a sine
/// and a cosine.
std::complex<double> first_harmonic(const std::vector<std::array<double, 2>>& samples, double period) {
  std::array<std::array<double, 4>, 3> m{};
  for (const auto& [time, value] : samples) {
    const double phase = 2 * std::numbers::pi * time / period;
    const std::array<double, 3> basis = {1, std::cos(phase), -std::sin(phase)};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) m[i][j] += basis[i] * basis[j];
      m[i][3] += basis[i] * value;
    }
  }
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == k) continue;
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < 4; ++j) m[i][j] -= factor * m[k][j];
    }
  return {m[1][3] / m[1][1], m[2][3] / m[2][2]};
}

}  // namespace

SteadyErrors run_steady(mpi::Communicator& world, const TubeRun& tube) {
  const double mean = mean_velocity(tube), exact = 4 * tube_viscosity * mean / tube_radius;
  // Long enough for the slowest disturbance of developed flow to decay by e^8, and for advected disturbances to leave
  // the tube.
  const double duration = std::max(0.35 * tube_radius * tube_radius / tube_kinematic, 1.5 * tube_length / mean);
  double drop = not_known;
  std::array<double, 3> sums{};
  const bool is_stable = run_tube(
      world, tube, {.velocity = fmt::format("velocity = {:.17g}", mean), .duration = duration, .every = ""},
      [&](double, std::span<const double> drags) {
        sums = {};
        for (std::size_t k = 0; k + 2 < drags.size(); k += 3) {
          const double ratio = geometry::length({drags[k], drags[k + 1], drags[k + 2]}) / exact - 1;
          sums = {sums[0] + 1, sums[1] + ratio, sums[2] + ratio * ratio};
        }
      },
      [&](double, const flow::MonitorRow& row) { drop = row.section_pressure[0] - row.section_pressure[1]; });
  if (!is_stable) return {not_known, not_known, not_known};
  for (auto& s : sums) s = all_reduce(world, s, sum<double>());
  drop = broadcast(world, std::vector{drop})[0];
  const double expected = 8 * tube_viscosity * mean / (tube_radius * tube_radius) * (sections[1] - sections[0]);
  return {sums[1] / sums[0], std::sqrt(sums[2] / sums[0]), drop / expected - 1};
}

PulseErrors run_pulse(mpi::Communicator& world, const TubeRun& tube, double womersley) {
  const double mean = mean_velocity(tube), beats = 3;
  const double omega = womersley * womersley * tube_kinematic / (tube_radius * tube_radius),
               period = 2 * std::numbers::pi / omega;
  const auto axis = geometry::normalised(tube.axis);
  std::vector<std::array<double, 2>> stress, flow;  // of the last beat
  const auto is_last = [&](double time) { return time > (beats - 1) * period; };
  const bool is_stable = run_tube(
      world, tube,
      {.velocity =
           fmt::format("velocity = {{mean = {:.17g}, amplitude = {:.17g}, period = {:.17g}}}\nprofile = \"womersley\"",
                       mean, 0.8 * mean, period),
       .duration = beats * period,
       .every = fmt::format("every = \"{:.9g} s\"\n", period / 50)},
      [&](double time, std::span<const double> drags) {
        std::array<double, 2> sums{};
        for (std::size_t k = 0; k + 2 < drags.size(); k += 3)
          sums = {sums[0] + 1, sums[1] + dot({drags[k], drags[k + 1], drags[k + 2]}, axis)};
        for (auto& s : sums) s = all_reduce(world, s, sum<double>());
        if (is_last(time)) stress.push_back({time, sums[1] / sums[0]});
      },
      [&](double time, const flow::MonitorRow& row) {
        if (is_last(time)) flow.push_back({time, row.section_flow[0]});
      });
  if (!is_stable) return {not_known, not_known};
  std::complex<double> ratio = 0;
  if (world.rank() == 0) {
    // -du/dr at the wall for a mean velocity of 1, by a one-sided difference, to six digits.
    constexpr double h = 1e-4;
    const auto slope =
        -(flow::womersley_profile(womersley, 1 - 2 * h) - 4.0 * flow::womersley_profile(womersley, 1 - h)) / (2 * h) /
        tube_radius;
    const auto velocity = first_harmonic(flow, period) / (std::numbers::pi * tube_radius * tube_radius);
    ratio = first_harmonic(stress, period) / (tube_viscosity * slope * velocity);
  }
  const auto parts = broadcast(world, std::vector{ratio.real(), ratio.imag()});
  ratio = {parts[0], parts[1]};
  return {std::abs(ratio) - 1, -std::arg(ratio) * 180 / std::numbers::pi};
}

}  // namespace weft::bench
