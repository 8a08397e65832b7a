// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "flow/case/case.hpp"
#include "flow/outlets/outlet_fit.hpp"
#include "flow/outlets/windkessel.hpp"

namespace weft::flow {

Beats::Beats(std::vector<std::string> names, double period, double step_seconds)
    : names_(std::move(names)), period_(period), step_seconds_(step_seconds) {
  const auto row = 2 * names_.size();
  value_.resize(row);
  now_.resize(samples * row);
  last_.resize(samples * row);
}

bool Beats::take(double time_s, const std::vector<double>& flow, const std::vector<double>& pressure) {
  const auto openings = names_.size(), row = 2 * openings;
  const auto at = [&](std::size_t i) { return i < openings ? flow[i] : pressure[i - openings]; };
  const double spacing = period_ / static_cast<double>(samples);
  bool ended = false;
  if (next_ < 0) {
    const bool is_first = time_s < 1.5 * step_seconds_;
    next_ = is_first ? 0 : static_cast<std::int64_t>(std::ceil(time_s / period_)) * static_cast<std::int64_t>(samples);
    time_ = time_s;
    for (std::size_t i = 0; i < row; ++i) value_[i] = at(i);
  }
  for (double when = static_cast<double>(next_) * spacing; when <= time_s;
       when = static_cast<double>(next_) * spacing) {
    const auto sample = static_cast<std::size_t>(next_ % static_cast<std::int64_t>(samples));
    const double way = when > time_ && time_s > time_ ? (when - time_) / (time_s - time_) : 0;
    for (std::size_t i = 0; i < row; ++i) now_[sample * row + i] = value_[i] + way * (at(i) - value_[i]);
    ++next_;
    if (sample + 1 < samples) continue;
    ended = true;
    ++finished_;
    if (finished_ > 1) compare();
    std::swap(now_, last_);
  }
  time_ = time_s;
  for (std::size_t i = 0; i < row; ++i) value_[i] = at(i);
  return ended;
}

void Beats::compare() {
  const auto openings = names_.size(), row = 2 * openings;
  std::vector<double> apart(row), size(row);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t k = 0; k < samples * row; ++k) {
    const auto i = k % row;
    const double step = now_[k] - last_[k];
    apart[i] += step * step;
    size[i] += now_[k] * now_[k];
    if (i >= openings) lowest = std::min(lowest, now_[k]), highest = std::max(highest, now_[k]);
  }
  const double widest = *std::max_element(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(openings));
  BeatDifference result{.beat = finished_ - 1};
  for (std::size_t i = 0; i < row; ++i) {
    const bool is_flow = i < openings;
    const double pressure_range = highest - lowest;
    const double scale =
        is_flow ? std::max(size[i], 1e-4 * widest) : pressure_range * pressure_range * static_cast<double>(samples);
    const double difference = apart[i] > 0 ? std::sqrt(apart[i] / scale) : apart[i];
    if (result.of.empty() || !(difference <= result.difference)) {
      result.difference = difference;
      result.of = fmt::format("{} of '{}'", is_flow ? "flow" : "pressure", names_[i % openings]);
    }
  }
  differences_.push_back(std::move(result));
}

BeatOfOpening Beats::last(std::size_t opening) const {
  const auto openings = names_.size(), row = 2 * openings;
  BeatOfOpening result{.lowest = std::numeric_limits<double>::infinity(),
                       .highest = -std::numeric_limits<double>::infinity()};
  for (std::size_t s = 0; s < samples; ++s) {
    const double pressure = last_[s * row + openings + opening];
    result.flow += last_[s * row + opening] / static_cast<double>(samples);
    result.mean += pressure / static_cast<double>(samples);
    result.lowest = std::min(result.lowest, pressure);
    result.highest = std::max(result.highest, pressure);
  }
  const auto of_sample = [&](std::size_t s) { return last_[s * row + openings + opening]; };
  // Extrapolates the next sample by straight lines from both sides; for a periodic waveform it would equal the first
  // sample.
  const double next =
      of_sample(samples - 1) + (of_sample(1) - of_sample(0) + of_sample(samples - 1) - of_sample(samples - 2)) / 2;
  const double trend = (next - of_sample(0)) / samples, middle = (samples - 1) / 2.0;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t s = 0; s < samples; ++s) {
    const double level = of_sample(s) - trend * (static_cast<double>(s) - middle);
    lowest = std::min(lowest, level), highest = std::max(highest, level);
  }
  result.pulse = highest - lowest;
  result.above = result.mean - lowest;
  return result;
}

bool Beats::restore(const State& state) {
  if (state.value.size() != value_.size() || state.now.size() != now_.size() || state.last.size() != last_.size())
    return false;
  next_ = state.next, finished_ = state.finished, time_ = state.time;
  value_ = state.value, now_ = state.now, last_ = state.last;
  differences_ = state.differences;
  return true;
}

namespace {

constexpr double largest_step = 2;   // a factor
constexpr double longest_time = 20;  // time constant of a windkessel, in beats

double limited(double factor) { return std::isfinite(factor) ? std::clamp(factor, 1 / largest_step, largest_step) : 1; }

}  // namespace

Tuner::Tuner(const Case& c, const Scaling& scaling, double volume)
    : case_(c), scaling_(scaling), fill_(c.openings.size()), flow_(tuned_flow(c)),
      period_(common_period(c).value_or(1)) {
  offset_.resize(c.openings.size());
  const double lattice_capacitance = volume / scaling.pressure_unit();
  double all = 0;
  for (const auto& opening : c.openings) {
    windkessels_.push_back(opening.windkessel);
    if (opening.tuned) all += opening.windkessel.capacitance;
  }
  constexpr double least = 0.2;
  const double left = std::max(1 - lattice_capacitance / all, least);
  for (std::size_t k = 0; k < windkessels_.size(); ++k)
    if (c.openings[k].tuned) windkessels_[k].capacitance *= left;
}

Tuner::Target Tuner::target(const BeatOfOpening& at) const {
  const auto& tune = case_.tune;
  const double pulse = tune.wanted_pulse().value_or(0);
  const double above = at.pulse > 0 ? at.above / at.pulse * pulse : 0;
  return {tune.wanted_mean(above), pulse};
}

double Tuner::conductance() const {
  double sum = 0;
  for (std::size_t k = 0; k < windkessels_.size(); ++k)
    if (case_.openings[k].tuned) sum += 1 / windkessels_[k].resistance;
  return sum;
}

bool Tuner::is_met(const Beats& beats, double out) const {
  const auto& tune = case_.tune;
  const auto at = beats.last(tune.at);
  const auto wanted = target(at);
  const auto apart = [&](double value, double from, double scale) {
    return !(std::abs(value - from) <= tune.tolerance * std::abs(scale));
  };
  if (apart(at.mean, wanted.mean, wanted.mean - tune.behind)) return false;
  if (wanted.pulse > 0 && apart(at.pulse, wanted.pulse, wanted.pulse)) return false;
  for (std::size_t k = 0; k < windkessels_.size(); ++k)
    if (tune.share[k] > 0 && apart(-beats.last(k).flow / out, tune.share[k], tune.share[k])) return false;
  return true;
}

// The sites at an outlet lie slightly before it. Once pressures have settled, the resulting pressure offset can be
// measured.
void Tuner::learn_offsets(const Beats& beats) {
  constexpr double settled = 0.03;  // difference of two beats
  if (beats.differences().empty() || !(beats.differences().back().difference <= settled)) return;
  for (std::size_t k = 0; k < windkessels_.size(); ++k) {
    if (!(case_.tune.share[k] > 0)) continue;
    const auto here = beats.last(k);
    const auto& w = windkessels_[k];
    offset_[k] =
        here.mean - case_.tune.behind + (w.resistance + w.proximal) * here.flow / scaling_.lattice_density(here.mean);
  }
}

void Tuner::set_resistances(const Beats& beats, double out, double through) {
  const auto& tune = case_.tune;
  const auto at = beats.last(tune.at);
  const double mean = target(at).mean;
  for (std::size_t k = 0; k < windkessels_.size(); ++k) {
    if (!(tune.share[k] > 0)) continue;
    const auto here = beats.last(k);
    const double share = -here.flow / out;
    const double lost = (at.mean - here.mean) * limited(tune.share[k] / share);
    auto& w = windkessels_[k];
    const double before = w.resistance + w.proximal;
    // Flows are masses / reference density; a windkessel takes the volume at the outlet's density.
    const double wanted = mean - lost - offset_[k], volume = tune.share[k] * through / scaling_.lattice_density(wanted);
    const double factor = limited((wanted - tune.behind) / volume / before);
    w.resistance *= factor;
    w.proximal *= factor;
  }
}

void Tuner::set_capacitances(const Beats& beats, double through, double conductance_before) {
  const auto& tune = case_.tune;
  const auto at = beats.last(tune.at);
  const auto wanted = target(at);
  double all = 0, proximal = 0, vessel = 0;
  for (std::size_t k = 0; k < windkessels_.size(); ++k) {
    if (!(tune.share[k] > 0)) continue;
    all += windkessels_[k].capacitance;
    proximal += windkessels_[k].proximal > 0 ? 1 / windkessels_[k].proximal : 0;
    vessel += tune.share[k] * std::max(0.0, at.mean - beats.last(k).mean) / through;
  }
  const double conductance_now = conductance();
  LumpedOutlets model{.resistance = 1 / conductance_before,
                      .capacitance = all,
                      .proximal = proximal > 0 ? 1 / proximal : 0,
                      .vessel = vessel,
                      .behind = tune.behind};
  auto flow = flow_;  // the actual flow may differ from the prescribed one
  double prescribed = 0;
  for (const double q : flow) prescribed += q / static_cast<double>(flow.size());
  for (auto& q : flow) q *= through / prescribed;
  const double modelled = model.over_beat(flow, period_).pulse();
  model.resistance = 1 / conductance_now;
  double factor = conductance_now / conductance_before;
  if (wanted.pulse > 0) {
    const double pulse = modelled * limited(wanted.pulse / at.pulse);
    // Even with an unlimited capacitor a pulse remains, mostly over the proximal resistance.
    auto endless = model;
    constexpr double much = 1e4, room = 0.8;
    endless.capacitance = much * period_ / model.resistance;
    if (endless.over_beat(flow, period_).pulse() > room * pulse) shorten_proximal();
    const double most = longest_time * period_ / model.resistance;
    factor =
        std::min(limited(capacitance_for(model, flow, period_, pulse) / all), std::max(most / all, 1 / largest_step));
  }
  const double after = conductance();
  for (std::size_t k = 0; k < windkessels_.size(); ++k)
    if (tune.share[k] > 0) windkessels_[k].capacitance = factor * all / windkessels_[k].resistance / after;
}

// Halves the proximal resistances; total resistances stay.
void Tuner::shorten_proximal() {
  for (std::size_t k = 0; k < windkessels_.size(); ++k) {
    if (!(case_.tune.share[k] > 0)) continue;
    auto& w = windkessels_[k];
    w.proximal /= largest_step;
    w.resistance += w.proximal;
  }
}

void Tuner::after(const Beats& beats) {
  std::ranges::fill(fill_, 0.0);
  if (beats.beats() < 2) return;  // the first beat started from rest
  const auto& tune = case_.tune;
  double out = 0, through = 0;  // flow through tuned outlets: in this beat, and in the periodic state
  for (std::size_t k = 0; k < windkessels_.size(); ++k) (tune.share[k] > 0 ? out : through) += beats.last(k).flow;
  out = -out;
  if (!(out > 0 && through > 0)) return;
  met_ = is_met(beats, out);
  if (met_) return;
  ++changes_;
  const double before = conductance();
  learn_offsets(beats);
  set_resistances(beats, out, through);
  set_capacitances(beats, through, before);
  const auto at = beats.last(tune.at);
  const double lacks = target(at).mean - at.mean;
  for (std::size_t k = 0; k < windkessels_.size(); ++k) {
    if (!(tune.share[k] > 0)) continue;
    const auto& w = windkessels_[k];
    const double stays =
        1 - decayed(period_ / (w.resistance * w.capacitance));  // fraction that would remain after a beat
    fill_[k] = w.capacitance * lacks * stays;
  }
}

bool Tuner::restore(const State& state) {
  if (state.windkessels.size() != windkessels_.size() || state.fill.size() != fill_.size() ||
      state.offset.size() != offset_.size())
    return false;
  windkessels_ = state.windkessels, fill_ = state.fill, offset_ = state.offset;
  changes_ = state.changes, met_ = state.met;
  return true;
}

}  // namespace weft::flow
