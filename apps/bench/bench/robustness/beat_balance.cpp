// SPDX-License-Identifier: BSD-3-Clause
#include "bench/robustness/beat_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::bench {

using OpeningKind = geometry::Opening::Kind;

double Beat::mass_error() const { return throughput > 0 ? std::abs(inflow - outflow - stored) / throughput : 0; }
double Beat::delivered_flow_error() const { return throughput > 0 ? std::abs(inflow - prescribed) / throughput : 0; }

BeatBalance::BeatBalance(const flow::Case& c, const flow::Scaling& scaling) : case_(c), scaling_(scaling) {
  const double period = c.openings.front().value.repeats_after();
  period_ = period > 0 ? period : std::numeric_limits<double>::infinity();
}

// What a row tells of openings is what the step before it moved, which made the mass that it tells; openings had been
// told what holds a step after it.
void BeatBalance::add(const flow::MonitorRow& row) {
  const double time = scaling_.time(row.step - 1);
  const double before = std::exchange(last_mass_, row.mass);
  if (row.step < 1) return;
  const auto number = static_cast<std::size_t>(std::floor(time / period_));
  if (!begun_ || number != number_) {
    if (begun_) whole_.push_back(now_);
    begun_ = true;
    number_ = number;
    now_ = {};
    now_.highest_pressure = now_.lowest_pressure = row.pressure.front();
    first_mass_ = before;
    seconds_ = 0;
  }
  for (std::size_t k = 0; k < case_.openings.size(); ++k) {
    const auto& opening = case_.openings[k];
    const double volume = row.flow[k] * scaling_.dt;
    if (opening.disc.kind == OpeningKind::outlet) {
      now_.outflow -= volume;
      continue;
    }
    now_.inflow += volume;
    now_.throughput += std::abs(volume);
    now_.prescribed += opening.value.at(scaling_.time(row.step + 1)) * opening.area() * scaling_.dt;
  }
  now_.stored = (row.mass - first_mass_) / scaling_.density;
  now_.highest_pressure = std::max(now_.highest_pressure, row.pressure.front());
  now_.lowest_pressure = std::min(now_.lowest_pressure, row.pressure.front());
  seconds_ += scaling_.dt;
}

std::vector<Beat> BeatBalance::beats() const {
  auto beats = whole_;
  if (begun_ && (beats.empty() || seconds_ > 0.99 * period_)) beats.push_back(now_);
  return beats;
}

}  // namespace weft::bench
