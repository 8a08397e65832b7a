// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lumen/narrowest_lumen.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "flow/scaling/scaling.hpp"
#include "geometry/centreline.hpp"
#include "geometry/lumen.hpp"

namespace weft::flow {
namespace {

using geometry::operator*;
using geometry::operator-;
using OpeningKind = lattice::OpeningState::Kind;

constexpr double voxels_of_lines = 60'000;
constexpr double noticeably = 1.25;  // speed / fastest speed in any opening
constexpr std::size_t most_cuts = 8;

bool is_inlet(const OpeningCase& opening) { return opening.disc.kind == geometry::Opening::Kind::inlet; }

/// The fraction of the inflow that leaves through each opening; negative for an inlet.
std::vector<double> shares_of(const Case& c, double inflow) {
  std::vector<double> shares(c.openings.size(), 0), weights(c.openings.size(), 0);
  double rest = 1, all = 0;
  bool resist = true;
  for (const auto& o : c.openings)
    if (!is_inlet(o) && o.kind == OpeningKind::pressure) resist = resist && o.is(OpeningCase::Rule::windkessel);
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& o = c.openings[k];
    if (o.is(OpeningCase::Rule::share)) {
      shares[k] = o.value.at(0);
    } else if (o.kind == OpeningKind::velocity) {
      shares[k] = (is_inlet(o) ? -1 : 1) * o.value.largest_magnitude() * o.area() / inflow;
    } else if (!is_inlet(o)) {
      weights[k] = resist ? 1 / (o.windkessel.resistance + o.windkessel.proximal) : o.area();
      all += weights[k];
    }
    if (!is_inlet(o)) rest -= shares[k];
  }
  for (std::size_t k = 0; k < weights.size() && all > 0; ++k) shares[k] += std::max(0.0, rest) * weights[k] / all;
  return shares;
}

struct Candidate {
  geometry::Opening cut;
  double share = 0, speed = 0;  // the speed if the lumen were its largest inner circle
};

/// Number of points that two branches share from the root.
std::size_t together_until(const geometry::Branch& a, const geometry::Branch& b, double voxel) {
  const std::size_t most = std::min(a.points.size(), b.points.size());
  std::size_t i = 0;
  while (i < most && geometry::length(a.points[i] - b.points[i]) < voxel / 2) ++i;
  return i;
}

std::vector<Candidate> candidates_of(const geometry::Centrelines& lines, const std::vector<double>& shares,
                                     double inflow) {
  std::vector<Candidate> result;
  for (const auto& branch : lines.branches) {
    std::vector<double> share(branch.points.size(), 0);
    for (const auto& other : lines.branches) {
      const auto until = together_until(branch, other, lines.voxel);
      const auto end = static_cast<std::size_t>(other.to);
      for (std::size_t i = 0; i < until && end < shares.size(); ++i) share[i] += shares[end];
    }
    for (std::size_t i = 2; i + 2 < branch.points.size(); ++i) {
      const double r = branch.radius[i];
      const auto along = branch.points[i + 2] - branch.points[i - 2];
      if (!(r > 0) || !(geometry::length(along) > 0)) continue;
      result.push_back(
          {{geometry::Opening::Kind::outlet, "", branch.points[i], (1 / geometry::length(along)) * along, r},
           std::abs(share[i]),
           std::abs(share[i]) * inflow / (std::numbers::pi * r * r)});
    }
  }
  std::ranges::sort(result, std::greater{}, &Candidate::speed);
  return result;
}

}  // namespace

std::optional<NarrowLumen> narrowest_lumen(const geometry::Surface& closed, const Case& c) {
  double inflow = 0;
  geometry::CentrelineOptions options{.blind_ends = false, .voxels = voxels_of_lines};
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& o = c.openings[k];
    options.ends.push_back({o.disc.centre, o.radius(), true});
    if (!is_inlet(o) || o.kind != OpeningKind::velocity) continue;
    if (options.root < 0 || o.area() > c.openings[static_cast<std::size_t>(options.root)].area())
      options.root = static_cast<int>(k);
    inflow += o.value.largest_magnitude() * o.area();
  }
  if (!(inflow > 0) || !std::isfinite(inflow)) return {};
  const double expected = noticeably * estimate_flow(c).mean_speed;
  const auto lines = geometry::centrelines(closed, options);
  auto candidates = candidates_of(lines, shares_of(c, inflow), inflow);
  std::optional<NarrowLumen> result;
  std::vector<geometry::Opening> cuts;
  // Near a closed end the largest ball in the lumen, and a plane across the line, are limited by the cap.
  const auto is_at_an_end = [&](const Candidate& one) {
    return std::ranges::any_of(c.openings, [&](const OpeningCase& o) {
      const auto way = one.cut.centre - o.disc.centre;
      return std::abs(geometry::dot(way, o.disc.normal)) < o.radius() && geometry::length(way) < 2 * o.radius();
    });
  };
  for (const auto& candidate : candidates) {
    if (candidate.speed <= expected || cuts.size() == most_cuts) break;
    if (is_at_an_end(candidate)) continue;
    if (std::ranges::any_of(
            cuts, [&](const auto& cut) { return geometry::length(cut.centre - candidate.cut.centre) < cut.radius; }))
      continue;
    cuts.push_back(candidate.cut);
    const auto lumen = geometry::find_lumens(closed, {candidate.cut}, c.surface.voxel).front();
    if (!(lumen.area > 0) || candidate.share * inflow / lumen.area <= expected) continue;
    if (result && candidate.share / lumen.area <= result->share / result->area) continue;
    result = {candidate.cut.centre, lumen.area, candidate.share};
  }
  return result;
}

}  // namespace weft::flow
