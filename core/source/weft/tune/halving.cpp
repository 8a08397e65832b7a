// SPDX-License-Identifier: BSD-3-Clause
#include "weft/tune/halving.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "weft/error.hpp"

namespace weft {
namespace {

constexpr int least_in_last_round = 5;

// SplitMix64: the standard library's shuffles may differ between ranks of different builds.
std::uint64_t next_random(std::uint64_t& state) {
  auto z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int last_turns(int turns, const Halving::Options& o) {
  return std::max(least_in_last_round, std::min(o.most_repetitions, turns));
}

}  // namespace

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

double clear_speedup(std::span<const double> plain, std::span<const double> other, double noise) {
  const auto n = std::min(plain.size(), other.size());
  std::vector<double> ratios;
  std::size_t faster = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (plain[i] <= 0) return 1;  // too short for the clock
    ratios.push_back(other[i] / plain[i]);
    if (other[i] < plain[i]) ++faster;
  }
  const double ratio = median(ratios);
  if (n == 0 || !(ratio < 1 - noise) || ratio <= 0 || 4 * faster < 3 * n) return 1;
  return 1 / ratio;
}

Halving::Halving(std::size_t candidates, const Options& options)
    : options_(options), alive_(candidates), samples_(candidates), turns_(options.repetitions), random_(options.seed) {
  if (candidates == 0) throw Error("There is no candidate to choose from. Give at least the baseline.");
  if (options.repetitions < 1)
    throw Error("Candidates are measured " + std::to_string(options.repetitions) + " times. Use 1 or more.");
  std::iota(alive_.begin(), alive_.end(), std::size_t{0});
  done_ = candidates == 1;
  last_ = candidates == 2;
  if (last_) turns_ = last_turns(turns_, options_);
  begin_turn();
}

void Halving::begin_turn() {
  order_ = alive_;
  for (auto n = order_.size(); n > 1; --n) std::swap(order_[n - 1], order_[next_random(random_) % n]);
  at_ = 0;
}

void Halving::record(double seconds, double took_seconds) {
  if (done_) throw Error("A duration was recorded after the best candidate was found. Call done() first.");
  if (!std::isfinite(seconds) || seconds < 0)
    throw Error("An iteration can't have taken " + std::to_string(seconds) + " s. Record 0 s or more.");
  samples_[order_[at_]].push_back(seconds);
  spent_ += took_seconds;
  longest_ = std::max(longest_, took_seconds);
  ++recorded_;
  const double limit = options_.limit_seconds;
  const bool ends_turn = ++at_ == order_.size();
  if (!ends_turn) return limit > 0 && spent_ + longest_ > limit ? stop() : void();
  ++turn_;
  const bool hurries = limit > 0 && spent_ > limit / 4;  // what remains takes two or three turns
  if (turn_ >= turns_ || (hurries && turn_ >= (last_ ? least_in_last_round : 1))) end_round();
  if (done_) return;
  if (limit > 0 && spent_ + longest_ > limit) return stop();
  begin_turn();
}

// A single comparison with the baseline shows nothing.
void Halving::stop() {
  constexpr std::size_t least = 2;
  is_cut_short_ = true;
  auto best = alive_[0];
  for (const auto k : alive_) {
    if (std::min(samples_[k].size(), samples_[0].size()) < least) continue;
    if (best == alive_[0] || median(samples_[k]) < median(samples_[best])) best = k;
  }
  decide(best);
}

void Halving::end_round() {
  if (last_) return decide(alive_[1]);
  std::vector<std::pair<double, std::size_t>> others;
  for (auto k = alive_.begin() + 1; k != alive_.end(); ++k) others.emplace_back(median(samples_[*k]), *k);
  std::sort(others.begin(), others.end());
  others.resize((others.size() + 1) / 2);
  alive_.resize(1);
  for (const auto& other : others) alive_.push_back(other.second);
  last_ = others.size() == 1;
  turn_ = 0;
  turns_ = std::min(options_.most_repetitions, 2 * turns_);
  if (!last_) return;
  turns_ = last_turns(turns_, options_);
  for (const auto k : alive_) samples_[k].clear();  // it was selected by them, so they are biased
}

void Halving::decide(std::size_t other) {
  done_ = true;
  speedup_ = clear_speedup(samples_[0], samples_[other], options_.noise);
  if (speedup_ > 1) best_ = other;
}

std::size_t Halving::measurements(std::size_t candidates, const Options& options) {
  if (candidates < 2) return 0;
  std::size_t all = 0;
  int turns = options.repetitions;
  for (auto others = candidates - 1; others > 1; others = (others + 1) / 2) {
    all += static_cast<std::size_t>(turns) * (others + 1);
    turns = std::min(options.most_repetitions, 2 * turns);
  }
  return all + 2 * static_cast<std::size_t>(last_turns(turns, options));
}

}  // namespace weft
