// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/case/circulation_case.hpp"

namespace weft::flow {

/// The 0-D circulation: compartments and connections, integrated by the fourth-order Runge-Kutta method, with as many
/// substeps as the fastest time constant needs.
///
/// The same number is subtracted from one compartment and added to another, so the sum of all volumes changes only by
/// the openings' flows and by rounding. Uses only additions, multiplications and divisions, so results are bitwise
/// identical on every machine. Does not allocate after construction.
class Circulation {
 public:
  Circulation(const CirculationCase& c, double step_seconds);

  struct State {
    std::vector<double> volume;  ///< m^3, for each compartment
    std::vector<double> flow;    ///< m^3/s, for each connection; without inertance the mean of the last substep
    bool operator==(const State&) const = default;
  };

  /// Advances by one step. `inflow`: into each compartment from outside, m^3/s, constant during the step.
  void advance(double time_s, std::span<const double> inflow);

  const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }
  double pressure(std::size_t compartment, double time_s) const {
    return case_.compartments[compartment].pressure(time_s, state_.volume[compartment]);
  }
  /// A compartment's pressure after `seconds` at constant flows. `inflow`: its own from outside.
  double pressure_ahead(std::size_t compartment, double time_s, double seconds, double inflow) const;
  double volume() const;  ///< of all compartments, m^3

  std::size_t parts() const { return parts_; }  ///< substeps of a step

 private:
  void rates(double time_s);
  void part(double time_s, double seconds, std::span<const double> inflow);

  const CirculationCase& case_;
  double step_seconds_;
  std::size_t parts_ = 1;
  State state_;
  // For the stages of a substep: their state, the rates there (without inertance: the flows), and weighted sums.
  State at_;
  std::vector<double> rate_, sum_, through_, moved_, pressure_;
};

/// An upper bound of the fastest rate of the circulation, 1/s.
double fastest_rate(const CirculationCase& c);

/// Estimates the peak speeds at the openings of a circulation (OpeningCase::expected_speed), for the choice of the time
/// step: the third beat of the compartments alone, with the vessel replaced by Poiseuille resistances between the
/// openings.
void expect_flows(Case& c);

/// Poiseuille resistance of a straight tube between two openings, with the radius of the smaller one, Pa s/m^3.
double straight_resistance(const Case& c, const OpeningCase& a, const OpeningCase& b);

}  // namespace weft::flow
