// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "program/rows.hpp"
#include "weft/collective/monitors.hpp"

namespace weft::flow {

/// The diagnostics of one step, in SI units; the same on every rank. Those that are switched off are not-a-number.
struct MonitorRow {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::int64_t step = -1;                                      ///< the state before this step; -1: none yet
  double lowest_density = unknown, highest_density = unknown;  ///< lattice units, 1 is the reference
  double highest_mach = unknown;
  double mass = unknown;                 ///< kg
  double relative_change = unknown;      ///< of the velocity, per step; at the last step that stored its fields
  double entropy = unknown;              ///< Boltzmann's H, lattice units
  std::vector<double> flow;              ///< m^3/s into the vessel, per opening
  std::vector<double> pressure;          ///< Pa, per opening: PressureGauge
  std::vector<double> section_flow;      ///< m^3/s along the normal, per cross-section; after the step
  std::vector<double> section_pressure;  ///< Pa, mean over the cross-section

  std::vector<double> columns(const Scaling& scaling) const;
};

/// The names of a case's openings, then of its cross-sections.
std::vector<std::string> monitored_names(const Case& c);

/// Columns of the monitors' table: step, time_s, density_min, density_max, mach_max, mass_kg, relative_change, entropy,
/// then for each name NAME_flow_m3_per_s (positive: into the vessel, or along a section's normal) and NAME_pressure_pa.
std::vector<std::string> monitor_columns(const std::vector<std::string>& names);

/// Monitors of incompressibility, stability, convergence, flow rates and entropy, reduced together in one all-reduce.
///
/// The local values of a step are computed in the lattice update (except entropy) and sent in the next step; the sums
/// are known at its end or, if phased, some steps later. There is no separate wait for them. Every rank gets the same
/// row, so every rank takes the same decisions.
class FlowMonitors {
 public:
  /// All arguments except options and sections are borrowed. `on_row` is called on every rank with each new row. If a
  /// rank could not write a file (`failure`, if given), all ranks learn of it with the next values. Collective; throws
  /// InputError on every rank if a section meets no site.
  FlowMonitors(Transport& transport, LatticeClient& lattice, const Vessel& vessel, const MonitorCase& options,
               std::function<void(const MonitorRow&)> on_row, std::span<const SectionCase> sections = {},
               program::KeptFailure* failure = nullptr);
  ~FlowMonitors();

  /// Adds a client to the manager; call it before the lattice is added. Collective.
  void start(StepManager& manager);
  /// The client, for callers that add it themselves, with the non-blocking way.
  Client& client();
  /// For the end of a run: reduces the row of the last sampled step (blocking), and calls check(). Collective.
  void finish();

  /// Throws Unstable on every rank, with the position, if a row received so far shows an unstable flow. Such a row is
  /// not passed to `on_row`. Call it between two steps; without the call the step of the next row throws. Collective if
  /// it throws, otherwise without cost.
  void check() const;

  /// The state for a checkpoint: the last reported row; the rest follows from the lattice. Only valid while
  /// idle_before() the next step.
  struct State {
    MonitorRow row;
    std::int64_t change_step = -1;  ///< step of the row's relative change
  };
  State state() const;
  /// Restores the state, which must be the same on every rank.
  void restore(const State& state);
  /// The pressures that this rank has sampled and that are not yet reduced, for each opening, in ticks; and their
  /// restoration, of all ranks together, after that of the lattice client.
  std::vector<std::int64_t> seen_pressures() const;
  void restore_seen_pressures(std::span<const std::int64_t> ticks);
  /// Whether no row is in flight before this step: always, unless the monitors are phased. Call it after start().
  bool idle_before(std::int64_t step) const;

  const MonitorRow& row() const;
  /// Whether the velocity's relative change fell below the tolerance.
  bool converged() const;

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace weft::flow
