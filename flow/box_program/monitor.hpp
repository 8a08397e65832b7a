// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "box_program/case.hpp"
#include "box_program/particles.hpp"
#include "box_program/solid_map.hpp"
#include "lattice/dense_lattice.hpp"
#include "program/rows.hpp"
#include "weft/collective/monitors.hpp"

namespace weft::box_program {

/// The monitors' values of the fluid before a step, in lattice units; the same on every rank. NaN if switched off.
struct Reading {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::int64_t step = -1;  ///< -1: no values yet
  double lowest_density = unknown, highest_density = unknown, highest_speed = unknown;
  double mass = unknown;
  std::array<double, 3> momentum{unknown, unknown, unknown};
  double kinetic_energy = unknown;
  /// The largest change of a site's velocity per step, over the largest speed.
  double relative_change = unknown;
  double entropy = unknown;  ///< Boltzmann's H, sum of f ln(f / w)

  static std::vector<std::string> columns();
  std::vector<double> values() const;  ///< of the columns after the first
  std::array<double*, 10> numbers();   ///< the same, writable
};

/// Incompressibility, stability, convergence and entropy, each a separate monitor, all in one all-reduce that is sent
/// with the step's other messages. They share one sample of the lattice, taken before the step: their values are of the
/// state before it.
///
/// Extremes are exact and sums are of integers (fixed point, 2^-38; entropy 2^-44), so readings do not depend on the
/// number of ranks. Convergence stores the velocities, 24 bytes per site.
class BoxMonitors {
 public:
  /// All arguments except the options must outlive the monitors; the function is called on every rank with each new
  /// reading. `steady`: see Case. A write error of a rank (`failure`, if given) is sent with the next reading, from
  /// which all ranks learn of it. Collective.
  BoxMonitors(Transport& transport, const lattice::DenseLattice& lattice, const Particles& particles,
              const Space& space, const MonitorCase& options, double steady,
              std::function<void(const Reading&)> on_reading, program::KeptFailure* failure = nullptr);
  ~BoxMonitors();

  /// Adds the client, before the lattice, whose update starts with the step. Collective.
  void start(StepManager& manager);
  /// Reads at once, blocking, between steps, for the end of a run. Collective.
  void read_now(std::int64_t step);

  const Reading& reading() const;
  /// Continues from a reading and its velocities; without velocities the next change is unknown.
  void restore(const Reading& reading, bool with_velocities);
  /// The velocities of this rank's sites, row by row, at the last reading; empty if they are not stored, or before the
  /// first reading.
  std::vector<std::array<double, 3>>& velocities();
  /// Whether velocities are stored.
  bool keeps_velocities() const;
  /// See Monitors.
  bool idle_before(std::int64_t step) const;
  bool is_steady() const;

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace weft::box_program
