// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/lumens.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <vector>

#include "flow/scaling/scaling.hpp"
#include "geometry/centreline.hpp"
#include "geometry/section.hpp"
#include "weft/transport/collectives.hpp"

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

namespace {

using geometry::Lumen, geometry::Plane, geometry::Polygon, geometry::Position;

/// Sample position in a cell: not on a boundary between voxels if cells and voxels are aligned.
constexpr double off_x = 0.31, off_y = 0.43;

/// The cells of a plane that lie in voxels of sites.
class SiteRaster {
 public:
  SiteRaster(const Plane& plane, double cell, int reach, const geometry::Grid& grid, const std::vector<Position>& sites)
      : cell_(cell), reach_(reach), across_(2 * reach + 1),
        kind_(static_cast<std::size_t>(across_) * static_cast<std::size_t>(across_), 0) {
    for (int j = -reach; j <= reach; ++j)
      for (int i = -reach; i <= reach; ++i) {
        const auto p = plane.at({(i + off_x) * cell, (j + off_y) * cell});
        Position site{};
        for (std::size_t d = 0; d < 3; ++d)
          site[d] = static_cast<std::int32_t>(std::lround((p[d] - grid.origin[d]) / grid.voxel));
        if (std::binary_search(sites.begin(), sites.end(), site)) kind(i, j) = free;
      }
  }

  /// Takes the connected patch of cells around the middle, or the one nearest to it.
  bool choose() {
    std::array<int, 2> start{};
    double nearest = HUGE_VAL;
    for (int j = -reach_; j <= reach_; ++j)
      for (int i = -reach_; i <= reach_; ++i)
        if (kind(i, j) == free && std::hypot(i, j) < nearest) nearest = std::hypot(i, j), start = {i, j};
    if (nearest == HUGE_VAL) return false;
    std::vector<std::array<int, 2>> queue{start};
    kind(start[0], start[1]) = taken;
    while (!queue.empty()) {
      const auto [i, j] = queue.back();
      queue.pop_back();
      for (const auto& [di, dj] : {std::array{1, 0}, std::array{-1, 0}, std::array{0, 1}, std::array{0, -1}}) {
        if (std::abs(i + di) > reach_ || std::abs(j + dj) > reach_ || kind(i + di, j + dj) != free) continue;
        kind(i + di, j + dj) = taken;
        queue.push_back({i + di, j + dj});
      }
    }
    return true;
  }

  /// The outlines of the taken cells, with the inside to the left.
  std::vector<Polygon> outlines() const {
    using Corner = std::array<int, 2>;
    std::map<Corner, std::vector<Corner>> ways;
    const auto is_taken = [&](int i, int j) {
      return std::abs(i) <= reach_ && std::abs(j) <= reach_ && kind(i, j) == taken;
    };
    for (int j = -reach_; j <= reach_; ++j)
      for (int i = -reach_; i <= reach_; ++i) {
        if (!is_taken(i, j)) continue;
        if (!is_taken(i, j - 1)) ways[{i, j}].push_back({i + 1, j});
        if (!is_taken(i + 1, j)) ways[{i + 1, j}].push_back({i + 1, j + 1});
        if (!is_taken(i, j + 1)) ways[{i + 1, j + 1}].push_back({i, j + 1});
        if (!is_taken(i - 1, j)) ways[{i, j + 1}].push_back({i, j});
      }
    std::vector<Polygon> result;
    while (!ways.empty()) {
      Polygon ring;
      Corner at = ways.begin()->first, came{};
      while (true) {
        const auto found = ways.find(at);
        if (found == ways.end()) break;
        auto& onward = found->second;
        // If two cells meet only at a corner, turn left, so that they stay separate.
        auto next = onward.begin();
        for (auto it = onward.begin(); it != onward.end() && onward.size() > 1 && !ring.empty(); ++it)
          if (came[0] * ((*it)[1] - at[1]) - came[1] * ((*it)[0] - at[0]) > 0) next = it;
        const Corner to = *next;
        onward.erase(next);
        if (onward.empty()) ways.erase(found);
        ring.push_back({(at[0] - 0.5 + off_x) * cell_, (at[1] - 0.5 + off_y) * cell_});
        came = {to[0] - at[0], to[1] - at[1]};
        at = to;
      }
      result.push_back(std::move(ring));
    }
    std::sort(result.begin(), result.end(),
              [](const Polygon& a, const Polygon& b) { return geometry::area(a) > geometry::area(b); });
    return result;
  }

 private:
  enum : char { free = 1, taken = 2 };
  char& kind(int i, int j) {
    return kind_[static_cast<std::size_t>(j + reach_) * static_cast<std::size_t>(across_) +
                 static_cast<std::size_t>(i + reach_)];
  }
  char kind(int i, int j) const {
    return kind_[static_cast<std::size_t>(j + reach_) * static_cast<std::size_t>(across_) +
                 static_cast<std::size_t>(i + reach_)];
  }

  double cell_;
  int reach_, across_;
  std::vector<char> kind_;
};

}  // namespace

std::vector<Lumen> lumens_of_sites(Transport& transport, const geometry::Domain& domain) {
  const auto& grid = domain.grid;
  // If the disc lies in a layer of sites, the plane lies between two layers, and rounding decides for each cell which
  // layer it samples. A slightly deeper or less deep plane then samples the whole layer of fluid.
  constexpr std::array<double, 3> depths = {1, 1.1, 0.9};
  constexpr double noticeably = 1.05;
  std::vector<Lumen> result;
  for (const auto& opening : domain.openings) {
    const auto disc = Plane::through(opening.centre, opening.normal);
    const auto& n = disc.normal;
    // The depth of the sites nearest to the plane on the fluid's side, for any normal.
    const double depth = 0.5 * grid.voxel * (std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]));
    const double far = 2 * opening.radius + 2 * grid.voxel;
    std::vector<Position> mine;
    for (const auto& site : domain.sites) {
      const auto p = grid.centre(site);
      if (std::abs(disc.above(p) - depth) > 1.15 * depth) continue;
      const auto flat = disc.flat(p);
      if (std::hypot(flat[0], flat[1]) < far) mine.push_back(site);
    }
    auto sites = all_gather(transport, mine);
    std::sort(sites.begin(), sites.end());
    const double cell = grid.voxel / 2;
    Lumen best;
    for (const double share : depths) {
      const auto plane = disc.moved(share * depth);
      SiteRaster raster(plane, cell, static_cast<int>(far / cell), grid, sites);
      if (!raster.choose()) continue;
      Lumen lumen{.plane = plane, .rings = raster.outlines()};
      for (const auto& ring : lumen.rings) lumen.area += geometry::area(ring);
      if (lumen.area > noticeably * best.area) best = std::move(lumen);
    }
    if (best.exists())
      best.reach = geometry::distances(best.rings.front(), {0, 0})[1];
    else
      best = geometry::round_lumen(opening);
    result.push_back(std::move(best));
  }
  return result;
}

}  // namespace weft::flow
