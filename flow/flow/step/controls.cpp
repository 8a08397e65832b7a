// SPDX-License-Identifier: BSD-3-Clause
#include "flow/step/controls.hpp"

#include <algorithm>
#include <cmath>

#include "flow/scaling/scaling.hpp"
#include "flow/scaling/validity.hpp"
#include "weft/error.hpp"

namespace weft::flow {

Controls::Controls(const Case& c, const Scaling& scaling) : case_(c), scaling_(scaling), ramps_(c.openings.size() + 1) {
  if (const double ramp = start_ramp(c, scaling); ramp > 0) start_.steps = steps_of(ramp);
  fed_.resize(c.openings.size());
  levels_.resize(c.openings.size());
  feeding_changes_.resize(c.openings.size());
  for (const auto& opening : c.openings) {
    may_be_held_.push_back(flow::may_be_held(c, opening));
    followed_.push_back(may_be_held_.back() ? scaling.initial_pressure : opening.windkessel.initial);
  }
}

std::int64_t Controls::steps_of(double seconds) const {
  return std::max<std::int64_t>(1, std::llround(seconds / scaling_.dt));
}

void Controls::set_opening(std::size_t k, double value, double ramp_seconds, std::int64_t step) {
  ramps_[k] = {.from = opening(k, step - 1), .to = value, .first = step, .steps = steps_of(ramp_seconds)};
}
void Controls::set_viscosity(double value, double ramp_seconds, std::int64_t step) {
  ramps_.back() = {.from = viscosity(step - 1), .to = value, .first = step, .steps = steps_of(ramp_seconds)};
}

// An opening's value is that of the time at the end of the step.
double Controls::opening(std::size_t k, std::int64_t step) const {
  if (ramps_[k].is_there()) return ramps_[k].at(step);
  const auto& opening = case_.openings[k];
  const double value = opening.value.at(scaling_.time(step + 1));
  // Values that depend on a flow rise with that flow.
  if (!start_.is_there() || step >= start_.steps || !opening.is(OpeningCase::Rule::prescribed)) return value;
  const double rest = opening.kind == lattice::OpeningState::Kind::pressure ? scaling_.initial_pressure : 0;
  return rest + start_.at(step) * (value - rest);
}
double Controls::viscosity(std::int64_t step) const {
  return ramps_.back().is_there() ? ramps_.back().at(step) : case_.fluid.viscosity;
}

bool Controls::is_held(std::size_t k, std::int64_t step) const {
  const auto& opening_case = case_.openings[k];
  return may_be_held_[k] && (opening_case.is(OpeningCase::Rule::share) || opening(k, step) < 0);
}

lattice::OpeningState Controls::opening_state(std::size_t k, std::int64_t step) const {
  using Kind = lattice::OpeningState::Kind;
  const auto& opening_case = case_.openings[k];
  if (fed_[k] > 0) return flow::opening_state(Kind::velocity, scaling_, fed_[k]);
  const bool held = is_held(k, step), follows = held || !opening_case.is(OpeningCase::Rule::prescribed);
  const auto kind = held ? Kind::pressure : opening_case.kind;
  auto state = flow::opening_state(kind, scaling_, (follows ? followed_[k] : opening(k, step)) + levels_[k]);
  state.viscous = kind == Kind::pressure;
  if (held || opening_case.disc.kind == geometry::Opening::Kind::outlet) state.backflow = case_.lattice.backflow;
  return state;
}

double Controls::tau(std::int64_t step) const {
  auto scaling = scaling_;
  scaling.viscosity = viscosity(step) / case_.fluid.density;
  return scaling.tau();
}

bool Controls::opening_changes(std::size_t k, std::int64_t step) const {
  if (!case_.openings[k].is(OpeningCase::Rule::prescribed) || may_be_held_[k] || feeding_changes_[k] || levels_[k] != 0)
    return true;
  if (ramps_[k].is_there()) return ramps_[k].changes(step);
  return start_.changes(step) || !case_.openings[k].value.constant();
}
bool Controls::viscosity_changes(std::int64_t step) const {
  return ramps_.back().is_there() && ramps_.back().changes(step);
}

void Controls::restore(std::span<const Ramp> ramps) {
  if (ramps.size() != ramps_.size())
    throw Error("The saved changes belong to a case with other openings. Use the case that they were saved with.");
  std::copy(ramps.begin(), ramps.end(), ramps_.begin());
}

}  // namespace weft::flow
