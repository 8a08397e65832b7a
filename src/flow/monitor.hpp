// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "flow/lattice_client.hpp"
#include "geometry/domain.hpp"
#include "weft/step/client.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// One monitored quantity over some sites. Tallies of all sites are merged by merge(), on any number of ranks.
struct Tally {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  double total = 0;
  std::int64_t site = std::numeric_limits<std::int64_t>::max();  ///< smallest Grid::site_id that stands out
};

/// Not-a-number survives: a comparison with it is never true.
Tally merge(const Tally& a, const Tally& b);

/// What the monitors know of one step, in SI units; the same on every rank.
struct MonitorRow {
  std::int64_t step = -1;                          ///< the state before this step; -1: nothing is known yet
  double lowest_density = 0, highest_density = 0;  ///< lattice units, 1 is the reference
  double highest_mach = 0;
  double mass = 0;             ///< kg
  double relative_change = 0;  ///< of the velocity, per step
  std::vector<double> flow;    ///< m^3/s into the vessel, per opening
  std::vector<double> pressure;    ///< Pa, mean over the opening's sites, per opening

  std::vector<double> columns(const Scaling& scaling) const;
};

/// Incompressibility, stability, convergence, mass and flow rates, all in one non-blocking all-reduce with a
/// user-defined operation that travels with the lattice's messages.
///
/// The values of an observed step are gathered in the lattice's own pass, leave in the next step and are known at its
/// end: one step late, never waited for by themselves. Every rank sees the same row, so every rank decides the same.
class MonitorClient final : public Client {
 public:
  /// `on_row` is called on every rank with each new row.
  MonitorClient(const LatticeClient& lattice, const geometry::Domain& domain, const Scaling& scaling, double tolerance,
                std::function<void(const MonitorRow&)> on_row);

  void request(Requests& requests) override;
  void before(Step& step) override;
  void after(Step& step) override;

  /// Blocking, for the end of a run: the row of the step that was observed last. Collective.
  void finish(Transport& transport);

  const MonitorRow& row() const { return row_; }
  /// The velocity's relative change fell below the tolerance.
  bool converged() const { return converged_; }

 private:
  void fill();
  void use();
  [[noreturn]] void throw_unstable(const Tally& populations) const;

  const LatticeClient& lattice_;
  const geometry::Domain& domain_;
  const Scaling& scaling_;
  double tolerance_;
  std::function<void(const MonitorRow&)> on_row_;
  std::vector<std::vector<std::uint32_t>> opening_sites_;  // of this rank, per opening
  // Density, speed squared, populations, change squared; then for each opening its inflow, its sites' density and number.
  std::vector<Tally> local_, global_;
  std::int64_t step_ = -1, interval_ = 0;
  MonitorRow row_;
  bool converged_ = false;
};

}  // namespace weft::flow
