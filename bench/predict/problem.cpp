// SPDX-License-Identifier: BSD-3-Clause
#include "predict/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/error.hpp"

namespace weft::predict {
namespace {

struct Line {
  double offset = 0, slope = 0;
};

// Least squares; `weights` squared by the caller.
Line fit_line(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& weights) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double w = weights[i];
    n += w, sx += w * x[i], sy += w * y[i], sxx += w * x[i] * x[i], sxy += w * x[i] * y[i];
  }
  const double spread = n * sxx - sx * sx;
  if (!(spread > 1e-12 * n * sxx)) return {n > 0 ? sy / n : 0, 0};
  const double slope = (n * sxy - sx * sy) / spread;
  return {(sy - slope * sx) / n, slope};
}

double surface_bytes(const RunProfile& p) {
  double bytes = 0;
  for (const auto& c : p.clients)
    if (!c.tree) bytes += c.alone.bytes;
  return bytes;
}

// The number of rounds of a tree over this number of ranks.
double doublings(double ranks) { return std::ceil(std::log2(std::max(1.0, ranks)) - 1e-9); }

// The imbalance of the rank that computes most over all steps, without the random part of few steps.
double lasting_imbalance(const RunProfile& p) {
  const double accident = p.late_seconds / std::sqrt(p.steps);
  return std::sqrt(std::max(0.0, p.imbalance_seconds * p.imbalance_seconds - accident * accident));
}

// The quantile of the normal distribution, by bisection: it is needed only a few times.
double normal_quantile(double probability) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return low;
}

// The number of peers on `to` ranks, for n0 peers on `from` ranks.
double peers_on(double n0, double from, double to, Outlook outlook) {
  if (n0 == 0) return 0;
  double n = n0;
  if (to > from) {
    const bool all_are = n0 >= from - 1;  // a rank with all others as peers may get more
    if (outlook == Outlook::bad) n = std::max(n0, all_are ? 26.0 : 1.5 * n0);
    if (outlook == Outlook::likely && all_are) n = std::max(n0, 6.0);
  }
  return std::min(n, to - 1);
}

Traffic tree_on(const Traffic& t, double from, double to) {
  Traffic scaled = t;
  if (t.messages == 0 && t.rounds == 0) return scaled;
  const double more = doublings(to) / std::max(1.0, doublings(from));
  scaled.rounds *= more;
  scaled.messages *= more;
  scaled.bytes *= more;
  scaled.peers *= more;
  return scaled;
}

// The ratio of a block's number of faces on `to` ranks to that on `from`, where it has `n`; 0: n does not match blocks.
double more_faces(double n, double from, double to) {
  for (const bool around : {false, true}) {
    const double faces = faces_of_blocks(static_cast<int>(from), around);
    if (n > 0 && n == faces) return faces_of_blocks(static_cast<int>(to), around) / faces;
  }
  return 0;
}

Traffic surface_on(const Traffic& t, double from, double to, double smaller, Outlook outlook) {
  Traffic scaled = t;
  const double peers = peers_on(t.peers, from, to, outlook);
  const double grown = more_faces(t.messages, from, to);
  scaled.messages *= grown > 0 ? grown : t.peers > 0 ? peers / t.peers : 0;
  scaled.peers = peers;
  scaled.bytes *= smaller;
  if (peers == 0) scaled.rounds = scaled.bytes = 0;
  return scaled;
}

}  // namespace

double faces_of_blocks(int ranks, bool around) {
  double least = 1e300, faces = 0;
  for (int a = 1; a <= ranks / a / a; ++a)
    for (int b = a; ranks % a == 0 && b <= ranks / a / b; ++b) {
      const int c = ranks / a / b;
      if (ranks / a % b != 0 || a + b + c >= least) continue;
      least = a + b + c;
      faces = 0;
      for (const int n : {a, b, c}) faces += n < 2 ? 0 : around ? 2 : std::min(n - 1, 2);
    }
  return faces;
}

double expected_largest(double n) { return n <= 1 ? 0 : normal_quantile((n - 0.375) / (n + 0.25)); }

double Load::lateness(double n) const {
  const double all = expected_largest(ranks);
  return all > 0 ? std::min(worst, late * expected_largest(std::min<double>(n, ranks)) / all) : 0;
}

Problem::Problem(std::vector<Run> runs) : runs_(std::move(runs)) {
  if (runs_.empty()) throw InputError("No run is given. Give at least one run.");
  const auto& first = runs_.front();
  bool communicates = false;
  for (const auto& run : runs_) {
    communicates = communicates || run.profile.ranks > 1;
    require_same(run);
  }
  if (!communicates)
    throw InputError(first.name + " ran on one rank (which sends nothing). Give a run on 2 or more ranks.");
  fit_surface();
  fit_compute();
}

bool Problem::is_of(const Run& run) const {
  const auto &one = run.profile, &first = runs_.front().profile;
  return one.problem == first.problem && one.clients.size() == first.clients.size();
}

void Problem::require_same(const Run& run) const {
  if (is_of(run)) return;
  throw InputError(run.name + " solved another problem than " + runs_.front().name +
                   " (another size, or other clients). Give runs of one problem.");
}

const Run& Problem::nearest(int ranks) const {
  const auto distance = [&](const Run& run) {
    return run.profile.ranks < 2 ? 1e9 : std::abs(std::log2(static_cast<double>(run.profile.ranks) / ranks));
  };
  return *std::ranges::min_element(runs_, {}, distance);
}

// Fitted to the runs if they have two numbers of ranks, else that of blocks, or between slices and blocks.
void Problem::fit_surface() {
  constexpr double blocks = 2.0 / 3;
  std::vector<double> x, y, weights;
  for (const auto& run : runs_)
    if (const double bytes = surface_bytes(run.profile); run.profile.ranks > 1 && bytes > 0) {
      x.push_back(std::log(run.profile.ranks));
      y.push_back(std::log(bytes));
      weights.push_back(1);
    }
  exponent_ = {blocks, 1, blocks / 2};
  if (x.empty() || *std::ranges::max_element(x) - *std::ranges::min_element(x) < 0.5) return;
  const double fitted = std::clamp(-fit_line(x, y, weights).slope, 0.0, 1.0);
  surface_is_fitted_ = true;
  exponent_ = {fitted, std::max(fitted, blocks), std::min(fitted, blocks / 2)};
}

void Problem::fit_compute() {
  std::vector<double> x, y, weights, doubled, uneven, ones;
  for (const auto& run : runs_) {
    const auto& p = run.profile;
    x.push_back(1.0 / p.ranks);
    y.push_back(p.compute_seconds);
    weights.push_back(1 / (p.compute_seconds * p.compute_seconds));
    if (p.ranks < 2) continue;
    doubled.push_back(std::log2(p.ranks));
    uneven.push_back(lasting_imbalance(p) / p.compute_seconds);
    ones.push_back(1);
  }
  const auto line = fit_line(x, y, weights);
  if (line.slope > 0 && line.offset > 0) divided_ = line.slope, fixed_ = line.offset;
  const auto imbalance = fit_line(doubled, uneven, ones);
  uneven_ = imbalance.offset;
  uneven_a_doubling_ = imbalance.slope;
}

double Problem::compute_factor(double from, double to) const {
  return (divided_ / to + fixed_) / (divided_ / from + fixed_);
}

double Problem::imbalance_share(double ranks) const {
  return std::max(0.0, uneven_ + uneven_a_doubling_ * std::log2(ranks));
}

Load Problem::at(int ranks, Outlook outlook) const {
  const auto& base = nearest(ranks).profile;
  const double from = base.ranks, to = ranks;
  // Fewer bytes are better, in both directions of change.
  const auto wanted = to >= from                 ? outlook
                      : outlook == Outlook::good ? Outlook::bad
                      : outlook == Outlook::bad  ? Outlook::good
                                                 : outlook;
  const double smaller = std::pow(from / to, predict::at(exponent_, wanted));
  const double less = compute_factor(from, to);
  Load load{.ranks = ranks,
            .compute = base.compute_seconds * less,
            .steps = base.steps,
            .polls = base.polls,
            .clients = base.clients,
            .together = base.together};
  const double largest = expected_largest(from);
  load.late = largest > 0 ? base.late_seconds * less * expected_largest(to) / largest : 0;
  load.worst = base.worst_seconds * less;
  const bool is_run = ranks == base.ranks;
  const double share = is_run ? lasting_imbalance(base) / base.compute_seconds : imbalance_share(to);
  const double doubled = std::abs(std::log2(to / from));
  load.imbalance = load.compute * share * (outlook == Outlook::bad ? 1 + doubled / 4 : 1);

  Traffic before, after;  // of all clients separately
  for (auto& c : load.clients) {
    before += c.alone;
    const double all = (c.before + c.during + c.after) * less;
    // A fit already includes the new faces; it is also possible that none are added.
    const bool adds = !c.tree && !surface_is_fitted_ && outlook != Outlook::good;
    const double grown = adds ? more_faces(c.alone.messages, from, to) : 0;
    const double less_surface = smaller * (grown > 0 ? grown : 1);
    c.alone = c.tree ? tree_on(c.alone, from, to) : surface_on(c.alone, from, to, less_surface, outlook);
    after += c.alone;
    c.after *= less;
    c.before = c.tree ? c.before * less : std::min(c.before * less_surface, std::max(0.0, all - c.after));
    c.during = std::max(0.0, all - c.before - c.after);
  }
  // The saving of one common exchange applies to each peer.
  const double share_sent = before.messages > 0 ? base.together.messages / before.messages : 0;
  load.together.messages = after.messages * std::min(1.0, share_sent);
  load.together.bytes = before.bytes > 0 ? base.together.bytes * after.bytes / before.bytes : 0;
  load.together.peers = before.peers > 0 ? std::min(to - 1, base.together.peers * after.peers / before.peers) : 0;
  load.pack = before.bytes > 0 ? base.pack_seconds * after.bytes / before.bytes : 0;
  return load;
}

}  // namespace weft::predict
