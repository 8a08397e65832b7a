// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/centreline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "geometry/detail/inside_grid.hpp"

namespace weft::geometry {

namespace {

using detail::InsideGrid;

constexpr double covers = 1.3;        // spheres along a path, times their radius, cover the voxels of its branch
constexpr double vessel_lengths = 3;  // radii by which a branch is longer than a bulge (a sphere on a wall: 2)

struct Ways {
  std::vector<double> distance;
  std::vector<std::int32_t> before;
};

// The least integral of the cost per voxel from one voxel to all others (Dijkstra, 26 neighbours).
Ways ways_from(const InsideGrid& g, std::int32_t start, const std::vector<double>& cost) {
  struct Link {
    std::int64_t by;  // of site_id
    double half_step;
  };
  std::vector<Link> links;
  for (int link = 0; link < 27; ++link) {
    const auto [dx, dy, dz] = link_offset(link);
    if (const int squared = dx * dx + dy * dy + dz * dz; squared > 0)
      links.push_back(
          {(std::int64_t{dz} * g.grid.extent[1] + dy) * g.grid.extent[0] + dx, 0.5 * std::sqrt(double(squared))});
  }
  Ways ways{std::vector<double>(g.inside.size(), std::numeric_limits<double>::infinity()),
            std::vector<std::int32_t>(g.inside.size(), -1)};
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  ways.distance[static_cast<std::size_t>(start)] = 0;
  queue.emplace(0, start);
  while (!queue.empty()) {
    const auto [distance, at] = queue.top();
    queue.pop();
    const auto i = static_cast<std::size_t>(at);
    if (distance > ways.distance[i]) continue;
    const auto here = g.grid.site_id(g.inside[i]);
    for (const auto& link : links) {
      const auto to = g.number[static_cast<std::size_t>(here + link.by)];
      if (to < 0) continue;
      const auto j = static_cast<std::size_t>(to);
      const double there = distance + link.half_step * (cost[i] + cost[j]);
      if (there >= ways.distance[j]) continue;
      ways.distance[j] = there;
      ways.before[j] = at;
      queue.emplace(there, to);
    }
  }
  return ways;
}

Ways straight_ways(const InsideGrid& g, std::int32_t start) {
  return ways_from(g, start, std::vector<double>(g.inside.size(), 1.0));
}

Ways central_ways(const InsideGrid& g, std::int32_t start) {
  std::vector<double> cost;
  cost.reserve(g.inside.size());
  for (const double radius : g.radius) {
    const double r = radius / g.grid.voxel;
    cost.push_back(1 / (r * r));
  }
  return ways_from(g, start, cost);
}

std::int32_t farthest(const std::vector<double>& distance, const std::vector<bool>& covered) {
  std::int32_t best = -1;
  double most = -1;
  for (std::size_t i = 0; i < distance.size(); ++i)
    if (!covered[i] && std::isfinite(distance[i]) && distance[i] > most)
      most = distance[i], best = static_cast<std::int32_t>(i);
  return best;
}

void cover(const InsideGrid& g, const Vector& middle, double radius, std::vector<bool>& covered) {
  std::array<std::int32_t, 3> low{}, high{};
  for (std::size_t d = 0; d < 3; ++d) {
    low[d] = std::max(0, static_cast<std::int32_t>(std::ceil((middle[d] - radius - g.grid.origin[d]) / g.grid.voxel)));
    high[d] = std::min(g.grid.extent[d] - 1,
                       static_cast<std::int32_t>(std::floor((middle[d] + radius - g.grid.origin[d]) / g.grid.voxel)));
  }
  for (auto z = low[2]; z <= high[2]; ++z)
    for (auto y = low[1]; y <= high[1]; ++y)
      for (auto x = low[0]; x <= high[0]; ++x) {
        const auto i = g.number[static_cast<std::size_t>(g.grid.site_id({x, y, z}))];
        if (i >= 0 && length(g.grid.centre({x, y, z}) - middle) <= radius) covered[static_cast<std::size_t>(i)] = true;
      }
}

// The radius of the tube that ends at a path's first point: the first radius along the path that stays constant for the
// length of a radius, within a tenth, or, where the wall is rough, a quarter. 0 if there is none.
double tube_radius(const std::vector<double>& along, const std::vector<double>& radii, double voxel) {
  constexpr double tip = 0.7;
  for (const auto& [wider, narrower] : {std::pair{1.1, 0.8}, {1.25, 0.7}})
    for (std::size_t k = 0; k < radii.size(); ++k) {
      if (along[k] < tip * radii[k]) continue;
      double most = radii[k];
      for (auto j = k; j < radii.size(); ++j) {
        most = std::max(most, radii[j]);
        if (most > wider * radii[k] + 0.5 * voxel || radii[j] < narrower * most - 0.5 * voxel) break;
        // The few voxels at the tip are not representative.
        if (along[j] - along[k] >= std::max(radii[k], 4 * voxel)) return most;
      }
    }
  return 0;
}

// Grows the tree of paths from a root and finds the voxels that end a branch.
class Tree {
 public:
  Tree(const InsideGrid& g, std::int32_t root)
      : g_(g), central_(central_ways(g, root)), on_tree_(g.inside.size(), false), covered(g.inside.size(), false) {
    on_tree_[static_cast<std::size_t>(root)] = true;
  }

  struct Found {
    double length = 0;  // beyond the sphere of the branch at which it begins
    double radius = 0;  // of its tube; if it is not a tube, nearly the largest radius along it
  };

  Found add(std::int32_t tip) {
    std::vector<std::int32_t> way;
    for (auto at = tip; at >= 0; at = central_.before[static_cast<std::size_t>(at)]) {
      way.push_back(at);
      if (on_tree_[static_cast<std::size_t>(at)]) break;
    }
    const auto joint = g_.centre(way.back());
    const double wide = g_.radius[static_cast<std::size_t>(way.back())];
    const bool is_first = central_.before[static_cast<std::size_t>(way.back())] < 0;
    Found found;
    std::vector<double> radii, along;
    for (std::size_t k = 0; k < way.size(); ++k) {
      const auto i = static_cast<std::size_t>(way[k]);
      if (is_first || length(g_.centre(way[k]) - joint) > wide) {
        if (k > 0) found.length += length(g_.centre(way[k]) - g_.centre(way[k - 1]));
        radii.push_back(g_.radius[i]);
        along.push_back(found.length);
      }
      on_tree_[i] = true;
      cover(g_, g_.centre(way[k]), covers * g_.radius[i] + 2 * g_.grid.voxel, covered);
    }
    found.radius = tube_radius(along, radii, g_.grid.voxel);
    if (found.radius > 0) return found;
    if (radii.empty()) radii.push_back(g_.radius[static_cast<std::size_t>(tip)]);
    const auto high = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() * 9 / 10);
    std::nth_element(radii.begin(), high, radii.end());
    found.radius = *high;
    return found;
  }

 private:
  const InsideGrid& g_;
  Ways central_;
  std::vector<bool> on_tree_;

 public:
  std::vector<bool> covered;
};

// The lumen's radius where a blind branch becomes a tube: some radii behind its tip.
double radius_behind(const InsideGrid& g, const Ways& to_root, std::int32_t tip) {
  std::vector<double> radii, along;
  auto last = g.centre(tip);
  for (auto at = tip; at >= 0; at = to_root.before[static_cast<std::size_t>(at)]) {
    along.push_back(along.empty() ? 0 : along.back() + length(g.centre(at) - last));
    radii.push_back(g.radius[static_cast<std::size_t>(at)]);
    last = g.centre(at);
  }
  if (const double tube = tube_radius(along, radii, g.grid.voxel); tube > 0) return tube;
  double best = 0, gone = 0;
  for (auto at = tip; at >= 0; at = to_root.before[static_cast<std::size_t>(at)]) {
    const auto i = static_cast<std::size_t>(at);
    best = std::max<double>(best, g.radius[i]);
    const auto next = to_root.before[i];
    if (next < 0) break;
    gone += length(g.centre(at) - g.centre(next));
    if (gone > 3 * best + 6 * g.grid.voxel) break;
  }
  return best;
}

// Smooths the steps of voxels: points move to the middle of their neighbours, the ends stay.
void smooth(std::vector<Vector>& points, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    auto before = points;
    for (std::size_t k = 1; k + 1 < points.size(); ++k)
      points[k] = 0.25 * before[k - 1] + 0.5 * before[k] + 0.25 * before[k + 1];
  }
}

double radius_at(const InsideGrid& g, const Vector& p) {
  std::array<std::int32_t, 3> low{};
  Vector part{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double x = (p[d] - g.grid.origin[d]) / g.grid.voxel;
    low[d] = std::clamp(static_cast<std::int32_t>(std::floor(x)), 0, g.grid.extent[d] - 2);
    part[d] = std::clamp(x - low[d], 0.0, 1.0);
  }
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    Position q{};
    for (std::size_t d = 0; d < 3; ++d) {
      const int up = corner >> d & 1;
      q[d] = low[d] + up;
      weight *= up ? part[d] : 1 - part[d];
    }
    const auto i = g.number[static_cast<std::size_t>(g.grid.site_id(q))];
    sum += weight * (i < 0 ? 0 : static_cast<double>(g.radius[static_cast<std::size_t>(i)]));
  }
  return sum;
}

Branch branch_to(const InsideGrid& g, const Ways& ways, std::int32_t tip, const Vector& first, const Vector& last) {
  Branch branch;
  for (auto at = tip; at >= 0; at = ways.before[static_cast<std::size_t>(at)]) branch.points.push_back(g.centre(at));
  std::reverse(branch.points.begin(), branch.points.end());
  smooth(branch.points, 12);
  branch.points.insert(branch.points.begin(), first);
  branch.points.push_back(last);
  for (const auto& p : branch.points) branch.radius.push_back(radius_at(g, p));
  return branch;
}

// Finds the ends and paths, one part after the other.
class LineFinder {
 public:
  LineFinder(const InsideGrid& g, const CentrelineOptions& options, Centrelines& result)
      : g_(g), options_(options), result_(result) {}

  void run() {
    for (auto& end : result_.ends) {
      end.given = true;
      const auto tip = g_.nearest(end.place);
      const bool is_there = length(g_.centre(tip) - end.place) <= 3 * (end.radius + g_.grid.voxel);
      end.part = is_there ? g_.part[static_cast<std::size_t>(tip)] : -1;
      tips_.push_back(is_there ? tip : -1);
    }
    const auto parts = static_cast<int>(g_.part_sizes.size());
    for (int part = 0; part < parts && options_.blind_ends; ++part)
      if (is_large(part) || !ends_of(part).empty()) find_blind_ends(part);
    result_.root = options_.root;
    for (int part = 0; part < parts; ++part) find_ways(part);
    if (result_.root < 0) result_.root = 0;
  }

 private:
  // Very small parts are not vessels, unless they have openings.
  bool is_large(int part) const {
    constexpr std::int64_t share = 50;
    return share * g_.part_sizes[static_cast<std::size_t>(part)] >= g_.part_sizes.front();
  }

  std::vector<std::size_t> ends_of(int part) const {
    std::vector<std::size_t> ends;
    for (std::size_t k = 0; k < result_.ends.size(); ++k)
      if (result_.ends[k].part == part) ends.push_back(k);
    return ends;
  }

  void add_blind(std::int32_t tip, double radius, int part) {
    result_.ends.push_back({.place = g_.centre(tip), .radius = radius, .part = part});
    tips_.push_back(tip);
  }

  void find_blind_ends(int part) {
    const auto given = ends_of(part);
    const auto first_blind = tips_.size();
    const std::vector<bool> none(g_.inside.size(), false);
    const auto any = static_cast<std::int32_t>(std::find(g_.part.begin(), g_.part.end(), part) - g_.part.begin());
    const auto start = given.empty() ? farthest(straight_ways(g_, any).distance, none) : tips_[given.front()];
    const auto straight = straight_ways(g_, start);
    Tree tree(g_, start);
    for (const auto k : given) {
      tree.add(tips_[k]);
      cover(g_, result_.ends[k].place, 1.5 * result_.ends[k].radius, tree.covered);
    }
    if (given.empty()) add_blind(start, 0, part);
    for (auto tip = farthest(straight.distance, tree.covered); tip >= 0;
         tip = farthest(straight.distance, tree.covered)) {
      const auto found = tree.add(tip);
      tree.covered[static_cast<std::size_t>(tip)] = true;
      // In a lumen with edges, no sphere covers the voxels along the edges; so each such path also covers its
      // surroundings.
      cover(g_, g_.centre(tip), std::max(found.radius, 4 * g_.grid.voxel), tree.covered);
      // only the deviation of the lumen from a circle
      if (found.length < 1.2 * found.radius + 2 * g_.grid.voxel) continue;
      if (found.length < vessel_lengths * found.radius)
        result_.bulges.push_back({.place = g_.centre(tip), .radius = found.radius, .part = part});
      else
        add_blind(tip, found.radius, part);
    }
    const auto to_start = central_ways(g_, start);
    const auto to_last = central_ways(g_, first_blind < tips_.size() ? tips_.back() : start);
    for (auto k = first_blind; k < tips_.size(); ++k)
      result_.ends[k].radius = radius_behind(g_, tips_[k] == start ? to_last : to_start, tips_[k]);
  }

  void find_ways(int part) {
    const auto ends = ends_of(part);
    if (ends.empty()) return;
    // The ways from a given end lead through the vessel; those from a blind one may begin in an appendage.
    const auto given = std::count_if(ends.begin(), ends.end(), [&](std::size_t k) { return result_.ends[k].given; });
    const auto rank = [&](std::size_t k) {
      return std::pair(given > 1 && result_.ends[k].given, result_.ends[k].radius);
    };
    const auto widest =
        *std::max_element(ends.begin(), ends.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    const bool is_asked = options_.root >= 0 && result_.ends[static_cast<std::size_t>(options_.root)].part == part;
    const auto root = is_asked ? static_cast<std::size_t>(options_.root) : widest;
    if (result_.root < 0) result_.root = static_cast<int>(root);
    const auto ways = central_ways(g_, tips_[root]);
    for (const auto k : ends) {
      if (k == root) continue;
      auto branch = branch_to(g_, ways, tips_[k], result_.ends[root].place, result_.ends[k].place);
      branch.from = static_cast<int>(root);
      branch.to = static_cast<int>(k);
      result_.branches.push_back(std::move(branch));
    }
  }

  const InsideGrid& g_;
  const CentrelineOptions& options_;
  Centrelines& result_;
  std::vector<std::int32_t> tips_;  // the voxel of each end
};

}  // namespace

Centrelines centrelines(const Surface& closed, const CentrelineOptions& options) {
  Centrelines result;
  const auto g = detail::fill_inside(closed, options.voxels);
  result.voxel = g.grid.voxel;
  if (g.inside.empty()) return result;
  result.ends = options.ends;
  LineFinder(g, options, result).run();
  return result;
}

}  // namespace weft::geometry
