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

#include "box_program/particle.hpp"
#include "lattice/dense_lattice.hpp"
#include "program/overrides.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/halo/halo.hpp"
#include "weft/names.hpp"

namespace weft::box_program {

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

}  // namespace weft::box_program
