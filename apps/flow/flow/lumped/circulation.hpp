// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "flow/case/circulation_case.hpp"

namespace weft::flow {

/// The compartments and what flows between them, step by step: Runge and Kutta's method of fourth order, in as many
/// parts of a step as the fastest of them needs.
///
/// What leaves a compartment enters another one as the same number, so the sum of all volumes changes by what openings
/// bring and by rounding alone. Of additions, multiplications and divisions alone, so the same bits on every machine.
/// Allocates nothing after construction.
class Circulation {
 public:
  Circulation(const CirculationCase& c, double step_seconds);

  struct State {
    std::vector<double> volume;  ///< m^3, of each compartment
    std::vector<double> flow;    ///< m^3/s, of each connection; where it has no inertance, what it was last
    bool operator==(const State&) const = default;
  };

  /// From a time to a step later. `inflow`: into each compartment from outside, m^3/s, the same for the step.
  void advance(double time_s, std::span<const double> inflow);

  const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }
  double pressure(std::size_t compartment, double time_s) const {
    return case_.compartments[compartment].pressure(time_s, state_.volume[compartment]);
  }
  /// What it comes to within so many seconds, if all flows stay as they are. `inflow`: its own from outside.
  double pressure_ahead(std::size_t compartment, double time_s, double seconds, double inflow) const;
  double volume() const;  ///< of all, m^3

  std::size_t parts() const { return parts_; }  ///< of a step

 private:
  void rates(double time_s);
  void part(double time_s, double seconds, std::span<const double> inflow);

  const CirculationCase& case_;
  double step_seconds_;
  std::size_t parts_ = 1;
  State state_;
  // Of the stages of a part: where they look, the rates there (without inertance: the flows), and their weighted sums.
  State at_;
  std::vector<double> rate_, sum_, through_, moved_, pressure_;
};

/// 1/s: none of what the compartments do is faster.
double fastest_rate(const CirculationCase& c);

}  // namespace weft::flow
