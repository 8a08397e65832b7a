// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/lumen_cuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "geometry/centreline.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using geometry::Vector;

namespace {

constexpr double off_ends = 2;       // voxels: nearer to an end a plane might leave the sites through the opening
constexpr int most_places = 20'000;  // per branch

/// A branch with the arc length at each point.
class Way {
 public:
  explicit Way(const geometry::Branch& branch) : branch_(branch), along_(branch.points.size(), 0) {
    for (std::size_t k = 1; k < along_.size(); ++k)
      along_[k] = along_[k - 1] + geometry::length(branch.points[k] - branch.points[k - 1]);
  }
  double length() const { return along_.back(); }
  Vector at(double s) const {
    const auto [k, part] = locate(s);
    return branch_.points[k] + part * (branch_.points[k + 1] - branch_.points[k]);
  }
  double radius(double s) const {
    const auto [k, part] = locate(s);
    return branch_.radius[k] + part * (branch_.radius[k + 1] - branch_.radius[k]);
  }
  /// The direction over a radius to both sides, since the line itself still has some of the voxels' steps. Towards the
  /// ends it turns to the discs' normals, so that no plane leaves the vessel through a disc.
  Vector direction(double s, double reach, const Vector& first, const Vector& last) const {
    const auto along = geometry::normalised(at(std::min(s + reach, length())) - at(std::max(s - reach, 0.0)));
    const double from = std::min(1.0, s / reach - 1), to = std::min(1.0, (length() - s) / reach - 1);
    if (from < 1 && from <= to) return between(first, along, from);
    return to < 1 ? between(last, along, to) : along;
  }

 private:
  static Vector between(const Vector& end, const Vector& along, double part) {
    const double w = std::max(part, 0.0);
    return geometry::normalised((1 - w) * end + w * along);
  }
  std::pair<std::size_t, double> locate(double s) const {
    const auto above = std::upper_bound(along_.begin() + 1, along_.end() - 1, s);
    const auto k = static_cast<std::size_t>(above - along_.begin()) - 1;
    const double step = along_[k + 1] - along_[k];
    return {k, step > 0 ? std::clamp((s - along_[k]) / step, 0.0, 1.0) : 0};
  }
  const geometry::Branch& branch_;
  std::vector<double> along_;
};

/// The smallest outline around the plane's origin, and its holes.
std::optional<LumenCut> lumen_around(const geometry::Surface& surface, const geometry::Plane& plane) {
  auto rings = geometry::cut(surface, plane);
  const auto around = [&](const geometry::Point& p) {
    const geometry::Ring* smallest = nullptr;
    for (const auto& ring : rings)
      if (const double size = geometry::area(ring.points);
          size > 0 && geometry::contains(ring.points, p) &&
          (smallest == nullptr || size < geometry::area(smallest->points)))
        smallest = &ring;
    return smallest;
  };
  const auto* own = around({0, 0});
  if (own == nullptr) return {};
  LumenCut cut{.plane = plane, .rings = {own->points}};
  for (const auto& ring : rings)
    if (geometry::area(ring.points) < 0 && around(ring.points.front()) == own) cut.rings.push_back(ring.points);
  for (const auto& ring : cut.rings) cut.area += geometry::area(ring);
  if (!cut.contains({0, 0})) return {};  // the origin is in a hole of the lumen
  return cut;
}

geometry::Centrelines find_lines(const Case& c, const geometry::Surface& surface,
                                 std::span<const geometry::Lumen> lumens, std::size_t root) {
  geometry::CentrelineOptions options{.blind_ends = false, .root = static_cast<int>(root)};
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& disc = c.openings[k].disc;
    const bool has_lumen = k < lumens.size() && lumens[k].exists();
    options.ends.push_back({has_lumen ? lumens[k].plane.at(geometry::centroid(lumens[k].rings.front())) : disc.centre,
                            c.openings[k].radius(), true});
  }
  auto lines = geometry::centrelines(surface, options);
  // A part of the vessel that is not connected to the first inlet has another root.
  std::erase_if(lines.branches, [&](const geometry::Branch& b) { return b.from != options.root; });
  return lines;
}

CutCentreline cut_lines(const Case& c, const ExtractCase& extract, const geometry::Surface& surface,
                        const geometry::Centrelines& lines, std::size_t root) {
  const double voxel = c.surface.voxel;
  CutCentreline result{.root = root};
  std::map<std::array<double, 6>, std::optional<std::size_t>> known;  // none: the plane cuts no lumen there
  for (const auto& line : lines.branches) {
    const Way way(line);
    auto& branch = result.branches.emplace_back(CutBranch{.to = static_cast<std::size_t>(line.to)});
    const double last = way.length() - off_ends * voxel;
    if (extract.spacing && way.length() > *extract.spacing * most_places)
      throw InputError(fmt::format(
          "{}: Extract '{}' has more than {} places along a branch {:.4g} mm long. Give it a larger spacing.",
          c.file.string(), extract.name, most_places, 1e3 * way.length()));
    const auto first_normal = c.openings[root].disc.normal, last_normal = -1.0 * c.openings[branch.to].disc.normal;
    for (double s = off_ends * voxel; s <= last;) {
      // The ends are closed: inner spheres near an end are limited by its cap.
      const double inner = std::min(std::max(s, c.openings[root].radius()),
                                    std::max(0.5 * way.length(), way.length() - c.openings[branch.to].radius()));
      const double wide = std::max(way.radius(inner), voxel);
      const auto at = way.at(s), n = way.direction(s, wide, first_normal, last_normal);
      const auto [entry, is_new] = known.try_emplace({at[0], at[1], at[2], n[0], n[1], n[2]});
      if (is_new) {
        if (auto cut = lumen_around(surface, geometry::Plane::through(at, n))) {
          const double across = geometry::distances(cut->rings.front(), {0, 0})[0];
          cut->radius = std::min(s, way.length() - s) < across ? across : way.radius(s);
          entry->second = result.cuts.size();
          result.cuts.push_back(std::move(*cut));
        }
      }
      if (entry->second) branch.places.push_back({s, *entry->second});
      const double lumen = entry->second ? result.cuts[*entry->second].radius : wide;
      const double step = extract.spacing.value_or(std::max(lumen, voxel));
      if (s < last && s + step > last)
        s = last;
      else
        s += step;
    }
  }
  return result;
}

// Serialised as numbers, for broadcasting.
std::vector<double> packed(const CutCentreline& line) {
  std::vector<double> out;
  const auto put = [&](auto... values) { (out.push_back(static_cast<double>(values)), ...); };
  const auto put_vector = [&](const Vector& v) { out.insert(out.end(), v.begin(), v.end()); };
  put(line.root, line.cuts.size(), line.branches.size());
  for (const auto& cut : line.cuts) {
    for (const auto& v : {cut.plane.origin, cut.plane.u, cut.plane.v, cut.plane.normal}) put_vector(v);
    put(cut.area, cut.radius, cut.rings.size());
    for (const auto& ring : cut.rings) {
      put(ring.size());
      for (const auto& p : ring) put(p[0], p[1]);
    }
  }
  for (const auto& branch : line.branches) {
    put(branch.to, branch.places.size());
    for (const auto& position : branch.places) put(position.along, position.cut);
  }
  return out;
}

CutCentreline unpacked(const std::vector<double>& in) {
  auto from = in.begin();
  const auto number = [&] { return *from++; };
  const auto count = [&] { return static_cast<std::size_t>(*from++); };
  const auto vector = [&] {
    const double x = number(), y = number(), z = number();
    return Vector{x, y, z};
  };
  CutCentreline line{.root = count()};
  line.cuts.resize(count());
  line.branches.resize(count());
  for (auto& cut : line.cuts) {
    for (auto* v : {&cut.plane.origin, &cut.plane.u, &cut.plane.v, &cut.plane.normal}) *v = vector();
    cut.area = number(), cut.radius = number();
    cut.rings.resize(count());
    for (auto& ring : cut.rings) {
      ring.resize(count());
      for (auto& p : ring) p[0] = number(), p[1] = number();
    }
  }
  for (auto& branch : line.branches) {
    branch.to = count();
    branch.places.resize(count());
    for (auto& position : branch.places) position.along = number(), position.cut = count();
  }
  return line;
}

}  // namespace

bool LumenCut::contains(const geometry::Point& p) const {
  bool is_inside = false;
  for (const auto& ring : rings)
    if (geometry::contains(ring, p)) is_inside = !is_inside;
  return is_inside;
}

std::vector<CutCentreline> cut_centrelines(Transport& transport, const Case& c, const geometry::Surface& surface,
                                           std::span<const geometry::Lumen> lumens) {
  std::vector<const ExtractCase*> wanted;
  for (const auto& extract : c.extracts)
    if (extract.shape == ExtractCase::Shape::centreline) wanted.push_back(&extract);
  std::vector<CutCentreline> result;
  if (wanted.empty()) return result;
  const auto inlet =
      std::ranges::find(c.openings, geometry::Opening::Kind::inlet, [](const auto& o) { return o.disc.kind; });
  const auto root = inlet == c.openings.end() ? std::size_t{0} : static_cast<std::size_t>(inlet - c.openings.begin());
  std::optional<geometry::Centrelines> lines;
  for (const auto* extract : wanted) {
    std::vector<double> numbers;
    on_root(transport, [&] {
      if (!lines) lines = find_lines(c, surface, lumens, root);
      numbers = packed(cut_lines(c, *extract, surface, *lines, root));
    });
    result.push_back(unpacked(broadcast(transport, std::move(numbers))));
  }
  return result;
}

using geometry::operator-;
using geometry::Vector;

namespace {

/// A cut, with data for assigning sites.
struct Meeting {
  const LumenCut* cut;
  std::size_t axis;  // closest to the normal
  double steep;      // the normal's component along it
  double reach;      // m, from the origin to the farthest point of the outline
  std::vector<CutSite>* sites;
};

const geometry::Cut* link_cut(const geometry::Domain& domain, std::uint32_t site, int link) {
  const auto found = std::lower_bound(
      domain.cuts.begin(), domain.cuts.end(), std::pair(site, link),
      [](const geometry::Cut& cut, const auto& wanted) { return std::pair(cut.site, int{cut.link}) < wanted; });
  return found != domain.cuts.end() && found->site == site && found->link == link ? &*found : nullptr;
}

void add_site(const Meeting& m, const geometry::Domain& domain, std::uint32_t site, bool half_way) {
  auto at = domain.grid.centre(domain.sites[site]);
  const double way = -m.cut->plane.above(at) / m.steep / domain.grid.voxel;  // to the plane along the axis, voxels
  if (!(std::abs(way) < 1)) return;
  at[m.axis] += way * domain.grid.voxel;
  const auto flat = m.cut->plane.flat(at);
  if (!(std::hypot(flat[0], flat[1]) <= m.reach) || !m.cut->contains(flat)) return;
  std::array<int, 3> step{};
  step[m.axis] = way < 0 ? -1 : 1;
  const int link = geometry::link_index(step[0], step[1], step[2]);
  const double size = 1 / std::abs(m.steep);
  double velocity = 1 - std::abs(way), pressure = velocity;
  if ((domain.fluid[site] >> link & 1U) == 0) {  // there is no site on the other side
    const auto* cut = link_cut(domain, site, link);
    const bool is_wall = cut != nullptr && cut->opening == geometry::Cut::wall;
    const double wall = half_way ? 0.5 : cut != nullptr ? static_cast<double>(cut->distance) : 1;
    pressure = 1;
    velocity = is_wall ? std::max(0.0, 1 - std::abs(way) / wall) : 1;
  }
  m.sites->push_back({site, static_cast<float>(size * velocity), static_cast<float>(size * pressure)});
}

}  // namespace

std::vector<std::vector<CutSite>> sites_of_cuts(std::span<const LumenCut> cuts, const geometry::Domain& domain,
                                                lattice::Wall wall) {
  std::vector<std::vector<CutSite>> result(cuts.size());
  std::vector<Meeting> all, near;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const auto& n = cuts[k].plane.normal;
    std::size_t axis = 0;
    for (std::size_t d = 1; d < 3; ++d)
      if (std::abs(n[d]) > std::abs(n[axis])) axis = d;
    all.push_back({&cuts[k], axis, n[axis], geometry::distances(cuts[k].rings.front(), {0, 0})[1], &result[k]});
  }
  const auto& grid = domain.grid;
  constexpr int width = geometry::block_width;
  const double half = (0.5 * width * std::sqrt(3.0) + 1) * grid.voxel;  // half diagonal of a block, plus a link
  auto block = std::numeric_limits<std::int64_t>::min();
  for (std::uint32_t s = 0; s < domain.sites.size(); ++s) {  // block by block
    const auto& p = domain.sites[s];
    if (const auto id = grid.block_id(p); id != block) {
      block = id;
      Vector middle{};
      for (std::size_t d = 0; d < 3; ++d)
        middle[d] = grid.origin[d] + grid.voxel * (p[d] / width * width + 0.5 * (width - 1));
      near.clear();
      for (const auto& m : all)
        if (std::abs(m.cut->plane.above(middle)) <= half &&
            geometry::length(middle - m.cut->plane.origin) <= m.reach + half)
          near.push_back(m);
    }
    for (const auto& m : near) add_site(m, domain, s, wall == lattice::Wall::half_way);
  }
  return result;
}

}  // namespace weft::flow
