// SPDX-License-Identifier: BSD-3-Clause
#include "bench/vessels/beat_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::bench {

using OpeningKind = geometry::Opening::Kind;

double Beat::mass_error() const { return throughput > 0 ? std::abs(inflow - outflow - stored) / throughput : 0; }
double Beat::delivered_flow_error() const { return throughput > 0 ? std::abs(inflow - prescribed) / throughput : 0; }

BeatBalance::BeatBalance(const flow::Case& c, const flow::Scaling& scaling) : case_(c), scaling_(scaling) {
  const double period = c.openings.front().value.repeats_after();
  period_ = period > 0 ? period : std::numeric_limits<double>::infinity();
}

void BeatBalance::begin(const flow::MonitorRow& row) {
  now_ = {};
  now_.highest_pressure = now_.lowest_pressure = row.pressure.front();
  first_mass_ = row.mass;
  seconds_ = 0;
  begun_ = true;
}

void BeatBalance::commit(double mass) {
  now_.inflow += step_.inflow;
  now_.outflow += step_.outflow;
  now_.throughput += step_.throughput;
  now_.prescribed += step_.prescribed;
  now_.stored = (mass - first_mass_) / scaling_.density;
  seconds_ += scaling_.dt;
  step_ = {};
}

void BeatBalance::add(const flow::MonitorRow& row) {
  const double time = scaling_.time(row.step);
  const auto number = static_cast<std::size_t>(std::floor(time / period_));
  if (begun_) commit(row.mass);  // a row's mass is that before its step
  if (!begun_ || number != number_) {
    if (begun_) whole_.push_back(now_);
    number_ = number;
    begin(row);
  }
  for (std::size_t k = 0; k < case_.openings.size(); ++k) {
    const auto& opening = case_.openings[k];
    const double volume = row.flow[k] * scaling_.dt;
    if (opening.disc.kind == OpeningKind::outlet) {
      step_.outflow -= volume;
      continue;
    }
    step_.inflow += volume;
    step_.throughput += std::abs(volume);
    step_.prescribed += opening.value.at(time) * opening.area() * scaling_.dt;
  }
  now_.highest_pressure = std::max(now_.highest_pressure, row.pressure.front());
  now_.lowest_pressure = std::min(now_.lowest_pressure, row.pressure.front());
}

std::vector<Beat> BeatBalance::beats() const {
  auto beats = whole_;
  if (begun_ && (beats.empty() || seconds_ > 0.99 * period_)) beats.push_back(now_);
  return beats;
}

}  // namespace weft::bench
