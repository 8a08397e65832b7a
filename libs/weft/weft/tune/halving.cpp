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

void Halving::record(double seconds) {
  if (done_) throw Error("A duration was recorded after the best candidate was found. Call done() first.");
  if (!std::isfinite(seconds) || seconds < 0)
    throw Error("An iteration can't have taken " + std::to_string(seconds) + " s. Record 0 s or more.");
  samples_[order_[at_]].push_back(seconds);
  spent_ += seconds;
  ++recorded_;
  if (++at_ < order_.size()) return;
  ++turn_;
  const bool hurries = options_.limit_seconds > 0 && spent_ > options_.limit_seconds;
  if (turn_ >= turns_ || (hurries && turn_ >= (last_ ? least_in_last_round : 1))) end_round();
  if (!done_) begin_turn();
}

void Halving::end_round() {
  if (last_) return decide();
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

void Halving::decide() {
  done_ = true;
  speedup_ = clear_speedup(samples_[0], samples_[alive_[1]], options_.noise);
  if (speedup_ > 1) best_ = alive_[1];
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
