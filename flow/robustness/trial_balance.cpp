// SPDX-License-Identifier: BSD-3-Clause
#include "robustness/trial_balance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::robustness {

namespace {

using OpeningKind = lattice::OpeningState::Kind;
using Rule = flow::OpeningCase::Rule;
constexpr std::size_t parts = 20, last_parts = 4;

}  // namespace

TrialBalance::TrialBalance(const flow::Case& c, const flow::Scaling& scaling)
    : case_(c), scaling_(scaling), controls_(c, scaling), steps_(flow::steps_of(c, scaling)) {
  for (const auto& opening : c.openings) pulse_ = pulse_ || opening.value.repeats_after() > 0;
}

// A row's flows at the openings are those of the step before it, which led to the row's mass; the prescribed values
// were those for the step after it.
void TrialBalance::add(const flow::MonitorRow& row) {
  const double before = std::exchange(last_mass_, row.mass);
  if (row.step < 1) return;
  const auto openings = case_.openings.size();
  if (throughput_ == 0 && moved_ == 0) first_mass_ = before;
  const auto part =
      static_cast<std::size_t>(row.step) * parts / static_cast<std::size_t>(std::max<std::int64_t>(steps_, row.step));
  while (parts_.size() <= part) {
    const std::vector<double> none(openings);
    parts_.push_back({none, none, none, none, 0, 0});
  }
  auto& sums = parts_.back();
  double entered = 0, through = 0;
  for (std::size_t k = 0; k < openings; ++k) {
    const double volume = row.flow[k] * scaling_.dt;
    moved_ += volume;
    through += std::abs(volume) / 2;  // halved, since inflow also leaves
    sums.moved[k] += volume;
    if (case_.openings[k].disc.kind == geometry::Opening::Kind::inlet) entered += volume;
  }
  for (std::size_t k = 0; k < openings; ++k) {
    const auto& opening = case_.openings[k];
    const double prescribed = controls_.opening(k, row.step);
    if (opening.is(Rule::share)) sums.wanted[k] -= opening.value.at(0) * entered;
    if (opening.is(Rule::prescribed) && opening.kind == OpeningKind::velocity)
      sums.wanted[k] += prescribed * opening.area() * scaling_.dt;
    if (opening.is(Rule::prescribed) && opening.kind == OpeningKind::pressure) sums.wanted_pressure[k] += prescribed;
    sums.pressure[k] += row.pressure[k];
  }
  sums.throughput += through;
  throughput_ += through;
  ++sums.rows;
}

TrialBalance::Sums TrialBalance::last() const {
  Sums all;
  const auto from = pulse_ || parts_.size() < last_parts ? parts_.begin() : parts_.end() - last_parts;
  for (auto one = from; one != parts_.end(); ++one) {
    const auto add = [](std::vector<double>& to, const std::vector<double>& more) {
      to.resize(more.size());
      for (std::size_t k = 0; k < more.size(); ++k) to[k] += more[k];
    };
    add(all.moved, one->moved), add(all.wanted, one->wanted);
    add(all.pressure, one->pressure), add(all.wanted_pressure, one->wanted_pressure);
    all.throughput += one->throughput;
    all.rows += one->rows;
  }
  return all;
}

double TrialBalance::mass_error() const {
  const double stored = (last_mass_ - first_mass_) / scaling_.density;
  return throughput_ > 0 ? std::abs(moved_ - stored) / throughput_ : 0;
}

double TrialBalance::flow_error() const {
  const auto sums = last();
  double worst = 0;
  for (std::size_t k = 0; k < sums.moved.size(); ++k)
    if (case_.openings[k].kind == OpeningKind::velocity)
      worst = std::max(worst, std::abs(sums.moved[k] - sums.wanted[k]));
  return sums.throughput > 0 ? worst / sums.throughput : 0;
}

double TrialBalance::pressure_error() const {
  const auto sums = last();
  if (sums.rows == 0) return 0;
  double worst = 0;
  for (std::size_t k = 0; k < sums.pressure.size(); ++k)
    if (case_.openings[k].kind == OpeningKind::pressure && case_.openings[k].is(Rule::prescribed))
      worst = std::max(worst, std::abs(sums.pressure[k] - sums.wanted_pressure[k]));
  const auto [low, high] = std::ranges::minmax(sums.pressure);
  return high > low ? worst / (high - low) : 0;
}

}  // namespace weft::robustness
