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
#include "geometry/domain.hpp"
#include "program/kept_failure.hpp"
#include "weft/collective/monitors.hpp"

namespace weft::flow {

/// What the monitors know of one step, in SI units; the same on every rank. What is switched off is not-a-number.
struct MonitorRow {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::int64_t step = -1;                                      ///< the state before this step; -1: nothing is known yet
  double lowest_density = unknown, highest_density = unknown;  ///< lattice units, 1 is the reference
  double highest_mach = unknown;
  double mass = unknown;                 ///< kg
  double relative_change = unknown;      ///< of the velocity, per step; of the last step that left its fields
  double entropy = unknown;              ///< Boltzmann's H, lattice units
  std::vector<double> flow;              ///< m^3/s into the vessel, per opening
  std::vector<double> pressure;          ///< Pa, mean over the opening's sites, per opening
  std::vector<double> section_flow;      ///< m^3/s along its normal, per cross-section; of the state after the step
  std::vector<double> section_pressure;  ///< Pa, mean over it

  std::vector<double> columns(const Scaling& scaling) const;
};

/// Of a case's openings, then its cross-sections.
std::vector<std::string> monitored_names(const Case& c);

/// Columns of the monitor's series: step, time_s, density_min, density_max, mach_max, mass_kg, relative_change,
/// entropy, then for each of these NAME_flow_m3_per_s (positive: into the vessel, along a section's normal) and
/// NAME_pressure_pa.
std::vector<std::string> monitor_columns(const std::vector<std::string>& names);

/// Incompressibility, stability, convergence, flow rates and entropy, each a monitor of its own, all in one all-reduce.
///
/// The values of a step are gathered in the lattice's own pass (entropy apart), leave in the next step and are known at
/// its end, or, phased, some steps later: never waited for by themselves. Every rank sees the same row, so every rank
/// decides the same.
class FlowMonitors {
 public:
  /// All but options and sections are borrowed. `on_row` is called on every rank with each new row. What a rank could
  /// not write (`failure`, if given) travels with the next values, from which all ranks learn of it.
  /// Collective; throws InputError on every rank if a section meets no site.
  FlowMonitors(Transport& transport, const LatticeClient& lattice, const geometry::Domain& domain,
               const Scaling& scaling, const MonitorCase& options, std::function<void(const MonitorRow&)> on_row,
               std::span<const SectionCase> sections = {}, program::KeptFailure* failure = nullptr);
  ~FlowMonitors();

  /// Becomes a client, to be added before the lattice. Collective.
  void start(StepManager& manager);
  /// The same for who adds it himself, the non-blocking way.
  Client& client();
  /// Blocking, for the end of a run: the row of the step that was looked at last, and check(). Collective.
  void finish();

  /// Throws Unstable on every rank, with the place, if a row that came in by now is of a flow that broke. Such a row
  /// goes to nobody. Between two steps; who doesn't call it gets the same from the next row's step. Collective where it
  /// throws, else free.
  void check() const;

  /// What was told so far, for a checkpoint; all else follows from the lattice. Only while idle_before the next step.
  struct Told {
    MonitorRow row;
    std::int64_t change_step = -1;  ///< the step that the row's relative change is of
  };
  Told told() const;
  /// Goes on from there. Every rank gives the same.
  void restore(const Told& told);
  /// Whether nothing of an earlier row is on its way before this step: always, unless they are phased. After start().
  bool idle_before(std::int64_t step) const;

  const MonitorRow& row() const;
  /// The velocity's relative change fell below the tolerance.
  bool converged() const;

 private:
  struct All;
  std::unique_ptr<All> all_;
};

}  // namespace weft::flow
