// SPDX-License-Identifier: BSD-3-Clause
//
// The content of a case file of `weft box`. docs/box.md describes the format for users.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lattice/dense_lattice.hpp"
#include "program/overrides.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/halo/halo.hpp"
#include "weft/names.hpp"

namespace weft::box_program {

/// A solid sphere (a disc in two dimensions) in the fluid. Lattice units; the site (i, j, k) of the box is at (i, j,
/// k), so walls are at -1/2 and extent - 1/2.
struct Particle {
  std::array<double, 3> position{}, velocity{}, spin{};
  double radius = 0;
  double density = 1;  ///< of the solid; the fluid's is about 1
  bool fixed = false;  ///< moves as prescribed, regardless of the fluid
  bool operator==(const Particle&) const = default;
};

struct ParticleOptions {
  std::vector<Particle> list;
  std::array<double, 3> gravity{};  ///< acceleration of the particles (reduced by buoyancy)
  /// Particles (and walls) closer than `repulsion_range` repel each other: strength x (1 - gap / range).
  double repulsion_range = 1, repulsion_strength = 0.05;
  bool operator==(const ParticleOptions&) const = default;
};

/// The schemes of a run: all except the one for tests.
inline constexpr auto scheme_names = halo_scheme_names.without(HaloOptions::Scheme::reference);

struct StartCase {
  enum class Flow : std::uint8_t { rest, uniform, taylor_green, taylor_green_3d, shear_wave };
  static constexpr Names<Flow> flow_names{"flow",
                                          {{Flow::rest, "rest"},
                                           {Flow::uniform, "uniform"},
                                           {Flow::taylor_green, "taylor-green"},
                                           {Flow::taylor_green_3d, "taylor-green-3d"},
                                           {Flow::shear_wave, "shear-wave"}}};
  Flow flow = Flow::rest;
  double speed = 0;                  ///< of vortices and waves
  std::array<double, 3> velocity{};  ///< of the uniform flow
  bool operator==(const StartCase&) const = default;
};

struct MonitorCase {
  std::int64_t every = 100;  ///< steps
  bool incompressibility = true;
  bool stability = true;  ///< false: only numbers that are not finite end the run
  bool convergence = false, entropy = false;
  Monitors::Way way = Monitors::Way::rounds;
  bool operator==(const MonitorCase&) const = default;
};

struct OutputCase {
  std::filesystem::path directory;  ///< relative to the working directory
  std::int64_t every = 0;           ///< steps; 0: only at the end
  bool pictures = false;
  bool operator==(const OutputCase&) const = default;
};

/// A dense box of fluid in lattice units, as described by the user.
struct Case {
  std::filesystem::path file;
  std::string title;  ///< default: the file's stem
  lattice::DenseParameters fluid;
  std::vector<std::size_t> size;  ///< sites, 2 or 3
  /// an axis that is not periodic has a wall at both ends, half a site beyond the last one
  std::vector<bool> periodic;
  std::vector<int> processes;                                           ///< ranks along each axis; empty or 0: chosen
  std::array<std::array<std::array<double, 3>, 2>, 3> wall_velocity{};  ///< by axis and end, along the wall
  StartCase start;
  ParticleOptions particles;
  HaloOptions::Scheme scheme = HaloOptions::Scheme::direct;
  HaloOptions::Payload payload = HaloOptions::Payload::reduced;
  std::int64_t steps = 0;
  double steady = 0;  ///< stop when the velocity's relative change per step is below; 0: never
  MonitorCase monitor;
  OutputCase output;
  std::int64_t checkpoint_every = 0;  ///< steps, an even number, and at the end if that is one; 0: none

  std::size_t dimensions() const { return size.size(); }
  bool operator==(const Case&) const = default;
};

/// The largest prescribed speed, sites per step.
double largest_speed(const Case& c);

/// Reads a case file. Each override is "key=value" with a dotted key: "run.steps=100". Not collective and pure. Throws
/// InputError with file, line, key, reason and allowed values.
Case read_case(const std::filesystem::path& file, std::span<const std::string> overrides = {});
/// The same from a case file's document; `file` gives the case its name.
Case read_case(const program::Value& document, const std::filesystem::path& file);
/// Removes the keys that the changed key excludes.
void remove_excluded(const program::Override& changed);

/// Adds `count` copies of a particle at random places, apart from each other, from existing particles and from walls.
/// The same on every rank and machine. False if they don't fit.
bool place_particles(Case& c, const Particle& like, std::size_t count, std::uint64_t seed);

}  // namespace weft::box_program
