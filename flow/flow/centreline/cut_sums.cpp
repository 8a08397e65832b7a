// SPDX-License-Identifier: BSD-3-Clause
#include "flow/centreline/cut_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/transport/collectives.hpp"

namespace weft::flow {

void CutSum::add(const CutSum& other) {
  flow = flow + other.flow;
  density = density + other.density;
  lowest = std::min(lowest, other.lowest);
}

CutSum sum_over(const LumenCut& cut, std::span<const CutSite> sites, const lattice::SparseLattice& lattice,
                bool momentum) {
  std::int64_t flow = 0, density = 0;
  CutSum sum;
  for (const auto& s : sites) {
    const auto m = lattice.moments(s.site);
    const double flux = geometry::dot(m.velocity, cut.plane.normal) * (momentum ? 1 : m.density);
    flow += ticks_of(static_cast<double>(s.of_velocity) * flux);
    density += ticks_of(static_cast<double>(s.of_pressure) * (m.density - 1));
    sum.lowest = std::min(sum.lowest, m.density);
  }
  sum.flow = TickSum::of(flow);
  sum.density = TickSum::of(density);
  return sum;
}

std::vector<CutSum> all_ranks(Transport& transport, std::span<const CutSum> mine) {
  std::vector<CutSum> all(mine.begin(), mine.end());
  if (all.empty()) return all;
  const auto add = reduction<CutSum>([](const CutSum& a, const CutSum& b) {
    auto sum = a;
    sum.add(b);
    return sum;
  });
  detail::run_collective(transport, Collective::all_reduce(mine, std::span<CutSum>(all), add));
  return all;
}

CutAverages::CutAverages(std::size_t cuts, double period, double start_s, std::int64_t every, double step_seconds)
    : period_(period), start_s_(start_s), every_(every), step_seconds_(step_seconds), cuts_(cuts) {}

bool CutAverages::takes(std::int64_t step) const {
  return step % every_ == 0 && static_cast<double>(step) * step_seconds_ >= start_s_ - 1e-6 * step_seconds_;
}

void CutAverages::add(std::int64_t step, std::span<const CutSum> sums) {
  const double time = static_cast<double>(step) * step_seconds_, slack = 1e-6 * step_seconds_;
  const auto beat = period_ > 0 ? static_cast<std::int64_t>(std::floor((time + slack) / period_)) : 0;
  auto& now = state_.now;
  if (beat != state_.beat || now.samples == 0) {
    if (now.samples > 0 && now.is_whole) state_.last = std::move(now);
    const double due = std::max(static_cast<double>(beat) * period_, start_s_);  // without a period: one window
    now = {.from_s = time,
           .is_whole = time - due < static_cast<double>(every_) * step_seconds_ - slack &&
                       (period_ <= 0 || start_s_ <= static_cast<double>(beat) * period_ + slack),
           .sums = std::vector<CutSum>(cuts_)};
    state_.beat = beat;
  }
  ++now.samples;
  now.to_s = time;
  for (std::size_t k = 0; k < cuts_; ++k) now.sums[k].add(sums[k]);
}

const CutWindow& CutAverages::window(std::int64_t step) const {
  const auto& [beat, now, last] = state_;
  if (last.samples == 0 || period_ <= 0) return now;
  // The beat is complete if the next sample belongs to another beat.
  const double next = static_cast<double>((step / every_ + 1) * every_) * step_seconds_;
  return now.is_whole && next >= static_cast<double>(beat + 1) * period_ - 1e-6 * step_seconds_ ? now : last;
}

}  // namespace weft::flow
