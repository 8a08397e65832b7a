// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/global_clock.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <span>
#include <thread>

#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

namespace weft::bench {
namespace {

constexpr int tag = 0x636c;
constexpr int moments = 10;  // number of ping-pong measurements within the span
// Largest drift between two quartz clocks, 100 ppm each. A fitted drift with a larger error is not used.
constexpr double worst_drift = 2e-4;

// Does not use complete(), which yields after each test; that would be most of the round trip. It yields after some
// tests, since with more ranks than cores the partner may need this core.
void wait(Operation& operation) {
  constexpr int timeout = 200;
  for (int tests = 0; !operation.test(); ++tests)
    if (simulated::here || tests >= timeout) yield();
}

struct RoundTrip {
  double before, partner, after;

  double length() const { return after - before; }
};

std::span<std::byte> bytes_of(double& value) { return std::as_writable_bytes(std::span(&value, 1)); }

// Both ends post their receive before the message can arrive, and the next one outside the timed path, so that both
// directions take equally long; for the same reason the ping is as large as its answer.
std::vector<RoundTrip> ask(Transport& transport, int partner, const ClockOptions& options) {
  double ping = 0;
  double theirs = 0;
  const auto send = transport.send(bytes_of(ping), partner, tag);
  const auto receive = transport.receive(bytes_of(theirs), partner, tag);
  std::vector<RoundTrip> trips;
  trips.reserve(options.pings);
  for (std::size_t i = 0; i < options.pings; ++i) {
    receive->start();
    const double before = options.local();
    send->start();
    wait(*receive);
    const double after = options.local();
    wait(*send);
    trips.push_back({before, theirs, after});
  }
  return trips;
}

void answer(Transport& transport, int partner, const ClockOptions& options) {
  std::array<double, 2> pings{};
  std::array<double, 1> mine{};
  const auto send = transport.send(std::as_bytes(std::span(mine)), partner, tag);
  const std::array receive{transport.receive(bytes_of(pings[0]), partner, tag),
                           transport.receive(bytes_of(pings[1]), partner, tag)};
  receive[0]->start();
  for (std::size_t i = 0; i < options.pings; ++i) {
    if (i + 1 < options.pings) receive[(i + 1) % 2]->start();
    wait(*receive[i % 2]);
    mine[0] = options.local();
    send->start();
    wait(*send);
  }
}

// The model of the first clock against the third, via the second.
ClockModel join(const ClockModel& first, const ClockModel& second) {
  const double there = first.to_global(first.at);
  ClockModel result = first;
  result.skew += second.skew + second.drift * (there - second.at);
  result.drift += second.drift + first.drift * second.drift;
  result.error += second.error_at(there);
  result.drift_error += second.drift_error;
  return result;
}

int partner_of(int rank) { return rank - static_cast<int>(std::bit_floor(static_cast<unsigned>(rank))); }

}  // namespace

GlobalClock::GlobalClock(Transport& transport, const ClockOptions& options) : transport_(transport), options_(options) {
  if (!options_.local) options_.local = now_seconds;
  options_.pings = std::max<std::size_t>(options_.pings, 1);
  const double from = now_seconds();
  measure();
  if (options_.span_seconds > 0) {
    for (int i = 1; i < moments; ++i) {
      const double until = from + options_.span_seconds * i / (moments - 1);
      std::this_thread::sleep_for(std::chrono::duration<double>(std::max(until - now_seconds(), 0.0)));
      measure();
    }
  }
  fit();
}

void GlobalClock::synchronise() {
  measure();
  fit();
}

void GlobalClock::measure() {
  const int rank = transport_.rank();
  for (int stride = 1; stride < transport_.size(); stride *= 2) {
    if (rank < stride && rank + stride < transport_.size()) answer(transport_, rank + stride, options_);
    if (rank < stride || rank >= 2 * stride) continue;
    auto trips = ask(transport_, partner_of(rank), options_);
    const auto kept = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::lround(options_.keep * static_cast<double>(trips.size()))), 1, trips.size());
    std::nth_element(trips.begin(), trips.begin() + static_cast<std::ptrdiff_t>(kept - 1), trips.end(),
                     [](const RoundTrip& a, const RoundTrip& b) { return a.length() < b.length(); });
    trips.resize(kept);
    // The partner read its clock between the two local times, so the error of the mid-point is at most half of the
    // round trip; this also holds for means, and for a linear fit.
    Reading mean{0, 0, 0};
    const auto first = trips.front();
    const double share = 1 / static_cast<double>(kept);
    for (const auto& t : trips) {
      const double middle = 0.5 * ((t.before - first.before) + (t.after - first.before));
      mean.at += share * middle;
      mean.skew += share * ((t.partner - first.partner) - middle);
      mean.error += share * 0.5 * t.length();
    }
    readings_.push_back({mean.at + first.before, mean.skew + (first.partner - first.before), mean.error});
  }
  if (rank == 0) model_.at = options_.local();
}

void GlobalClock::fit() {
  ClockModel mine{.at = model_.at};
  if (!readings_.empty()) {
    const auto& last = readings_.back();
    mine = {.skew = last.skew,
            .at = last.at,
            .error = last.error,
            .drift_error = worst_drift,
            .round_trip = 2 * last.error};
    // Least squares, weighted by the errors; relative to the last reading, to avoid rounding errors of large times.
    const auto weight = [](const Reading& r) { return 1 / std::pow(std::max(r.error, 1e-9), 2); };
    double weights = 0, mean_time = 0, mean_skew = 0, moment = 0, drift = 0, drift_error = 0;
    for (const auto& r : readings_) weights += weight(r);
    for (const auto& r : readings_) {
      mean_time += weight(r) / weights * (r.at - last.at);
      mean_skew += weight(r) / weights * (r.skew - last.skew);
    }
    for (const auto& r : readings_) moment += weight(r) * std::pow(r.at - last.at - mean_time, 2);
    if (moment > 0) {
      for (const auto& r : readings_) {
        const double factor = weight(r) * (r.at - last.at - mean_time) / moment;
        drift += factor * (r.skew - last.skew - mean_skew);
        drift_error += std::abs(factor) * r.error;
      }
      if (drift_error < worst_drift) {
        const double correction = mean_skew - drift * mean_time;
        mine.skew += correction;
        mine.error += std::abs(correction);  // valid at the last reading even if clocks are not linear
        mine.drift = drift;
        mine.drift_error = drift_error;
      }
    }
  }
  models_ = all_gather(transport_, mine);
  for (int r = 1; r < transport_.size(); ++r) {  // a partner has a lower rank, so its model is complete
    auto& model = models_[static_cast<std::size_t>(r)];
    model = join(model, models_[static_cast<std::size_t>(partner_of(r))]);
  }
  model_ = models_[static_cast<std::size_t>(transport_.rank())];
}

}  // namespace weft::bench
