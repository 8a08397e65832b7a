// SPDX-License-Identifier: BSD-3-Clause
#include "openings/find_openings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "geometry/boundary.hpp"
#include "geometry/repair.hpp"
#include "openings/detail/candidates.hpp"

namespace weft::openings {

using namespace geometry;  // a Vector's operators

namespace {

using Kind = VesselOpening::Kind;
using Weight = Finding::Weight;

// A blind end belongs to a chamber, not to a tube, if its lumen narrows to `neck` of its radius within `chamber` radii
// of the cut, and all other openings together have less than `drained` of its area. Behind a vessel's trunk they have
// at least that.
constexpr double neck = 0.7, chamber = 3.5, drained = 0.5;
constexpr std::size_t enough_ends = 2;  // holes and flat caps of a part, with which its blind ends stay closed
constexpr double widest_blind = 3;      // a cut's area over that of the part's largest hole or cap
constexpr double wide_weld_distance = 1e-4;
constexpr double one_direction = 0.7;    // cosine between the normals of two cuts of one end
constexpr std::size_t most_omitted = 8;  // blind ends that are no tubes: more than these, and most, and it is no vessel
constexpr double least_apart = 0.9;      // of two cuts' centres, over the sum of their radii

double out_of_flat(const VesselOpening& o) {
  double most = 0;
  for (const auto& p : o.contour) most = std::max(most, std::abs(dot(p - o.centre, o.normal)));
  return most;
}

void cap(Surface& surface, const std::vector<geometry::EdgeCheck::Edge>& rim) {
  Vector sum{};
  for (const auto& e : rim) sum = sum + surface.vertices[e.from];
  const auto middle = static_cast<std::uint32_t>(surface.vertices.size());
  surface.vertices.push_back((1.0 / static_cast<double>(rim.size())) * sum);
  for (const auto& e : rim) surface.triangles.push_back({e.to, e.from, middle});
}

class Finder {
 public:
  Finder(Surface surface, double voxels, Repairs repairs, VesselAnalysis& result)
      : surface_(std::move(surface)), voxels_(voxels), repairs_(repairs), result_(result) {}

  void run() {
    measure_box();
    if (repairs_ != Repairs::none)
      for (auto& repair : geometry::repair_surface(
               surface_, 1, repairs_ == Repairs::all ? wide_weld_distance : geometry::usual_weld_distance))
        say_repaired(repair.place, std::move(repair.text));
    for (auto& finding : look_at_triangles(surface_)) result_.findings.push_back(std::move(finding));
    close_holes();
    turn();
    result_.volume = std::abs(geometry::signed_volume(surface_));
    tell_coinciding_holes();
    std::vector<bool> is_opening;
    for (const auto& hole : holes_) is_opening.push_back(detail::ends_a_tube(surface_, hole));
    take_holes_of_chambers(is_opening);
    for (std::size_t k = 0; k < holes_.size(); ++k) {
      auto& hole = holes_[k];
      if (is_opening[k])
        take_hole(hole);
      else if (repairs_ == Repairs::all)
        close_hole(hole);
      else
        tell_hole(hole);
    }
    for (auto& region : detail::caps_of(as_read_, surface_, std::cbrt(result_.volume / voxels_)))
      result_.openings.push_back(std::move(region));
    name_by_solids();
    follow_lines();
    std::stable_sort(result_.openings.begin(), result_.openings.end(),
                     [](const VesselOpening& a, const VesselOpening& b) { return a.area > b.area; });
    if (result_.openings.empty() && !is_no_vessel_)
      say(Weight::unusable, {},
          "No opening was found (neither a hole, nor a flat cap, nor a rounded end of a tube: as it is, this is no "
          "vessel). Cut it open where fluid enters and leaves, or give the openings in the case.");
    else if (result_.openings.size() == 1)
      say(Weight::warning, result_.openings.front().centre,
          "Only one opening was found (the fluid that enters can't leave). Look for the others in the picture.");
    result_.surface = std::move(as_read_);
  }

 private:
  void say_repaired(const Vector& place, std::string text) {
    result_.is_repaired = true;
    say(Weight::repaired, place, std::move(text));
  }

  void say(Weight weight, const Vector& place, std::string text) {
    result_.findings.push_back({weight, std::move(text), place});
  }

  void measure_box() {
    result_.low = result_.high = surface_.vertices.front();
    for (const auto& v : surface_.vertices)
      for (std::size_t d = 0; d < 3; ++d) {
        result_.low[d] = std::min(result_.low[d], v[d]);
        result_.high[d] = std::max(result_.high[d], v[d]);
      }
  }

  void close_holes() {
    const auto open = geometry::check_edges(surface_).open;
    as_read_ = surface_;
    for (const auto& rim : geometry::join_rims(open)) {
      std::vector<Vector> outline;
      // The triangles' edges run along a rim with the vessel to the left; a cap's edges would run the other way.
      for (auto e = rim.rbegin(); e != rim.rend(); ++e) outline.push_back(surface_.vertices[e->to]);
      holes_.push_back(detail::from_outline(Kind::hole, std::move(outline)));
      cap(surface_, rim);
    }
  }

  void turn() {
    if (geometry::signed_volume(surface_) >= 0) return;
    say(Weight::note, {},
        "The surface is inside out (its normals point into the vessel). Both this program and weft flow reverse the "
        "normals.");
    for (auto* s : {&surface_, &as_read_})
      for (auto& t : s->triangles) std::swap(t[1], t[2]);
    for (auto& hole : holes_) {
      std::reverse(hole.contour.begin(), hole.contour.end());
      hole.normal = -1.0 * hole.normal;
    }
  }

  void take_hole(VesselOpening& hole) {
    const double off = out_of_flat(hole);
    if (off > 0.05 * hole.disc_radius)
      say(Weight::unusable, hole.centre,
          fmt::format("The rim of the opening at {} is not flat: it deviates from its plane by {:.3g} at a radius of "
                      "{:.3g} (weft flow caps only holes whose rims deviate by at most 5 % of the radius). Cut it "
                      "flat, or close it, so that this program can cut it.",
                      place_text(hole.centre), off, hole.radius));
    result_.openings.push_back(std::move(hole));
  }

  // A hole in the wall of a chamber, such as a valve's, ends no tube, but somebody has cut it: it is flat and round,
  // and not the only one. What is much smaller than the largest one is a defect.
  void take_holes_of_chambers(std::vector<bool>& is_opening) const {
    constexpr double least_size = 0.25;  // of the largest radius
    constexpr std::size_t fewest_edges = 8;
    const auto is_cut = [&](const VesselOpening& hole) {
      return hole.area > 0 && hole.contour.size() >= fewest_edges && hole.roundness >= detail::least_roundness &&
             out_of_flat(hole) <= 0.05 * hole.disc_radius;
    };
    double largest = 0;
    for (const auto& hole : holes_)
      if (is_cut(hole)) largest = std::max(largest, hole.radius);
    std::vector<std::size_t> cut;
    for (std::size_t k = 0; k < holes_.size(); ++k)
      if (is_opening[k] || (is_cut(holes_[k]) && holes_[k].radius > least_size * largest)) cut.push_back(k);
    if (cut.size() < 2) return;
    for (const auto k : cut) is_opening[k] = true;
  }

  void name_by_solids() {
    for (auto& solid : detail::named_ends(as_read_, surface_)) {
      const auto same = std::find_if(result_.openings.begin(), result_.openings.end(), [&](const VesselOpening& o) {
        return length(o.centre - solid.centre) < o.radius && dot(o.normal, solid.normal) > one_direction;
      });
      if (same != result_.openings.end())
        same->name = solid.name;
      else
        result_.openings.push_back(std::move(solid));
    }
  }

  // The hole's outline runs as its cap's does.
  void close_hole(const VesselOpening& hole) {
    const auto vertex = [&](const Vector& p) {
      return static_cast<std::uint32_t>(std::find(as_read_.vertices.begin(), as_read_.vertices.end(), p) -
                                        as_read_.vertices.begin());
    };
    std::vector<geometry::EdgeCheck::Edge> rim;
    for (std::size_t k = hole.contour.size(); k-- > 0;)
      rim.push_back({vertex(hole.contour[(k + 1) % hole.contour.size()]), vertex(hole.contour[k]), 0});
    cap(as_read_, rim);
    say_repaired(hole.centre, fmt::format("A hole with a rim of {} edges and radius {:.3g} at {} ends no tube. It is "
                                          "closed.",
                                          hole.contour.size(), hole.radius, place_text(hole.centre)));
  }

  // A patch that does not meet the wall leaves a hole in it, and has a rim of its own.
  void tell_coinciding_holes() {
    for (std::size_t i = 0; i < holes_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const auto &a = holes_[i], &b = holes_[j];
        const double apart = length(a.centre - b.centre);
        if (apart > 0.05 * a.radius || std::abs(a.radius / b.radius - 1) > 0.05) continue;
        say(Weight::unusable, a.centre,
            fmt::format("The rims of two holes nearly coincide at {} (their centres are {:.3g} apart: patches of the "
                        "surface do not meet). Merge their vertices, or let --repair weld rims that are up to 1e-4 of "
                        "the vessel's size apart.",
                        place_text(a.centre), apart));
      }
  }

  void tell_hole(const VesselOpening& hole) {
    say(Weight::unusable, hole.contour.front(),
        fmt::format("A hole with a rim of {} edges and radius {:.3g} lies at {} (no tube of that width begins there, "
                    "so it is not an opening, and fluid would leak). Close it, or let --repair close it.",
                    hole.contour.size(), hole.radius, place_text(hole.area > 0 ? hole.centre : hole.contour.front())));
  }

  void follow_lines() {
    geometry::CentrelineOptions options{.voxels = voxels_};
    for (const auto& o : result_.openings) options.ends.push_back({o.centre, o.radius, true});
    auto& lines = result_.lines;
    lines = geometry::centrelines(surface_, options);
    const auto given = options.ends.size();
    for (std::size_t k = 0; k < given && k < lines.ends.size(); ++k) result_.openings[k].part = lines.ends[k].part;
    std::vector<double> lost(lines.ends.size(), 0);  // the length that the cut removes from the path of each end
    std::vector<Blind> blind;
    std::vector<Vector> closed;
    detail::Neighbours neighbours;
    for (const auto& o : result_.openings) {
      auto& holes = holes_of_[o.part];
      ++holes.count;
      holes.largest = std::max(holes.largest, o.area);
    }
    for (std::size_t k = given; k < lines.ends.size(); ++k) {
      if (stays_closed(lines.ends[k].part)) {
        closed.push_back(lines.ends[k].place);
        continue;
      }
      const auto way = way_from(k);
      const auto cut =
          way.points.empty() ? std::nullopt : detail::cut_blind_end(surface_, way.points, lines.ends[k].radius);
      if (!cut) {
        say(Weight::warning, lines.ends[k].place,
            fmt::format("The blind end at {} is too short to be cut automatically. If fluid passes there, cut it open.",
                        place_text(lines.ends[k].place)));
        continue;
      }
      lost[k] = length(cut->opening.centre - lines.ends[k].place);
      blind.push_back({k, *cut});
      auto& b = blind.back();
      b.cut.opening.part = lines.ends[k].part;
      if (neighbours.empty()) neighbours = detail::neighbours_of(surface_);
      b.is_tube = cut->is_steady && cut->opening.roundness >= detail::least_roundness &&
                  detail::removes_only(surface_, neighbours, cut->opening, lines.ends[k].place);
    }
    if (!closed.empty())
      say(Weight::note, closed.front(),
          fmt::format("{} blind end{} {} closed, at {} (the vessel has two or more holes or flat caps, so a blind end "
                      "is taken for an appendage or an aneurysm). If fluid passes there, cut the surface open.",
                      closed.size(), closed.size() == 1 ? "" : "s", closed.size() == 1 ? "stays" : "stay",
                      places_text(closed)));
    std::vector<bool> is_open(lines.ends.size(), false);
    std::fill_n(is_open.begin(), given, true);
    take_blind_ends(std::move(blind), is_open);
    for (const auto& bulge : lines.bulges)
      say(Weight::note, bulge.place,
          fmt::format("The bulge with its tip at {} and radius {:.3g} is not taken as an opening (it is shorter than "
                      "1.5 diameters).",
                      place_text(bulge.place), bulge.radius));
    find_narrowest(lost, is_open);
  }

  struct Blind {
    std::size_t end;  // Centrelines::ends
    detail::BlindCut cut;
    bool is_tube = false;
    bool overlaps = false;  // another opening of its part
  };

  static bool overlap(const VesselOpening& a, const VesselOpening& b) {
    return a.part == b.part && length(a.centre - b.centre) < least_apart * (a.radius + b.radius);
  }

  // Cuts through the middle of a body that is no tube overlap: of a rounded box, a plate, a gear. Of two that differ
  // much, only the larger may be such a cut. Those of one direction belong to one blunt end with several tips.
  void find_overlaps(std::vector<Blind>& blind) const {
    std::vector<Blind> once;
    for (auto& b : blind)
      if (std::none_of(once.begin(), once.end(), [&](const Blind& other) {
            const auto &o = b.cut.opening, &p = other.cut.opening;
            return b.is_tube && other.is_tube && overlap(o, p) && dot(o.normal, p.normal) > one_direction;
          }))
        once.push_back(std::move(b));
    blind = std::move(once);
    for (auto& b : blind) {
      const auto& o = b.cut.opening;
      const auto meets = [&](const VesselOpening& other) { return o.area > 0.5 * other.area && overlap(o, other); };
      b.overlaps =
          std::any_of(blind.begin(), blind.end(),
                      [&](const Blind& other) { return &other != &b && other.is_tube && meets(other.cut.opening); }) ||
          std::any_of(result_.openings.begin(), result_.openings.end(), meets);
    }
  }

  struct Holes {  // and flat caps
    std::size_t count = 0;
    double largest = 0;  // area
  };

  // Somebody who cut a vessel open, or capped it, did so at all its openings: what is still blind is an appendage, an
  // aneurysm, or the space beside an obstacle.
  bool stays_closed(int part) const {
    const auto at = holes_of_.find(part);
    return at != holes_of_.end() && at->second.count >= enough_ends;
  }

  // Why a blind end is no opening; empty if it is one. `others`: the area of all other openings of its part.
  std::string objection(const Blind& b, double others) const {
    const auto& o = b.cut.opening;
    if (!b.is_tube) return "the lumen behind it has no constant cross-section, as a tube has";
    if (b.overlaps) return "its cut overlaps another one, so nothing of the vessel would be between them";
    const auto holes = holes_of_.find(o.part);
    if (holes != holes_of_.end() && o.area > widest_blind * holes->second.largest)
      return fmt::format("a cut there would have {:.2g} times the area of the vessel's hole or flat cap",
                         o.area / holes->second.largest);
    if (others < drained * o.area && narrows(b))
      return "it belongs to a chamber, which is wide and then narrow, not to a tube";
    return {};
  }

  // The largest first, so that the tubes of a chamber are known before the chamber. Marks the ends that are openings.
  void take_blind_ends(std::vector<Blind> blind, std::vector<bool>& is_open) {
    std::stable_sort(blind.begin(), blind.end(),
                     [](const Blind& a, const Blind& b) { return a.cut.opening.area > b.cut.opening.area; });
    std::map<int, double> areas;  // of the openings of each part
    for (const auto& o : result_.openings) areas[o.part] += o.area;
    find_overlaps(blind);
    for (const auto& b : blind) areas[b.cut.opening.part] += b.is_tube ? b.cut.opening.area : 0;
    std::size_t omitted = 0;
    const auto told = result_.findings.size();
    for (const auto& b : blind) {
      const auto& o = b.cut.opening;
      auto& others = areas[o.part];
      if (b.is_tube) others -= o.area;
      const auto why = objection(b, others);
      if (!why.empty()) {
        ++omitted;
        say(Weight::warning, o.centre,
            fmt::format("The blind end at {} is omitted ({}). If fluid passes there, give it a disc in the case: "
                        "centre {}, normal ({:.3f}, {:.3f}, {:.3f}), radius {:.4g}.",
                        place_text(result_.lines.ends[b.end].place), why, place_text(o.centre), o.normal[0] + 0.0,
                        o.normal[1] + 0.0, o.normal[2] + 0.0, o.disc_radius));
        continue;
      }
      others += o.area;
      is_open[b.end] = true;
      result_.openings.push_back(o);
    }
    if (holes_of_.empty() && omitted >= most_omitted && omitted > 2 * result_.openings.size()) {
      result_.findings.resize(told);
      is_no_vessel_ = true;
      say(Weight::unusable, {},
          fmt::format("This is no vessel: of its {} blind ends only {} end a tube (a vessel's ends do). Cut the vessel "
                      "out of the surface, and open it where fluid enters and leaves.",
                      omitted + result_.openings.size(), result_.openings.size()));
    }
  }

  bool narrows(const Blind& b) const {
    const auto way = way_from(b.end);
    const auto& o = b.cut.opening;
    double widest = 0;
    for (std::size_t k = 0; k < way.points.size(); ++k) {
      const auto from_cut = way.points[k] - o.centre;
      if (length(from_cut) > chamber * o.radius && dot(from_cut, o.normal) > 0) return false;
      widest = std::max(widest, way.radius[k]);
      if (dot(from_cut, o.normal) > 0 && way.radius[k] < neck * widest) return true;
    }
    return true;
  }

  struct Way {
    std::vector<Vector> points;
    std::vector<double> radius;
  };

  // The centreline from an end: its own branch backwards, or, from a root, the longest branch. Empty if there is none.
  Way way_from(std::size_t end) const {
    const geometry::Branch* best = nullptr;
    for (const auto& branch : result_.lines.branches) {
      if (static_cast<std::size_t>(branch.to) == end)
        return {{branch.points.rbegin(), branch.points.rend()}, {branch.radius.rbegin(), branch.radius.rend()}};
      if (static_cast<std::size_t>(branch.from) != end) continue;
      if (best == nullptr || branch.points.size() > best->points.size()) best = &branch;
    }
    return best == nullptr ? Way() : Way{best->points, best->radius};
  }

  // Not on the way to an end that stays closed: the tip of an appendage would make the voxels far too small.
  void find_narrowest(const std::vector<double>& lost, const std::vector<bool>& is_open) {
    double least = 0;
    Vector along{};
    for (const auto& branch : result_.lines.branches) {
      if (!is_open[static_cast<std::size_t>(branch.to)]) continue;
      for (std::size_t k = 0; k < branch.points.size(); ++k) {
        const auto& p = branch.points[k];
        const auto far_from = [&](int end) {
          const auto e = static_cast<std::size_t>(end);
          return length(p - result_.lines.ends[e].place) > std::max(lost[e], result_.lines.ends[e].radius);
        };
        if (!far_from(branch.from) || !far_from(branch.to)) continue;
        if (least != 0 && branch.radius[k] >= least) continue;
        least = branch.radius[k];
        result_.narrowest_at = p;
        const auto aside = std::max<std::size_t>(2, static_cast<std::size_t>(least / result_.lines.voxel));
        along = branch.points[std::min(k + aside, branch.points.size() - 1)] - branch.points[k - std::min(k, aside)];
      }
    }
    result_.narrowest = 2 * least;
    // The voxels give the position; the section there gives the width, which is up to two voxels larger.
    if (least > 0 && length(along) > 0)
      if (const auto lumen = detail::lumen_around(surface_, result_.narrowest_at, normalised(along))) {
        const double width = 2 * lumen->radius * std::sqrt(lumen->aspect);
        if (width > result_.narrowest && width < result_.narrowest + 3 * result_.lines.voxel) result_.narrowest = width;
      }
    // The lumen of an opening may be narrower, and is more accurate than the voxels' spheres.
    for (const auto& o : result_.openings)
      if (result_.narrowest == 0 || 2 * o.radius < result_.narrowest)
        result_.narrowest = 2 * o.radius, result_.narrowest_at = o.centre;
  }

  Surface surface_;  // closed step by step
  Surface as_read_;  // and repaired
  double voxels_;
  Repairs repairs_;
  std::vector<VesselOpening> holes_;
  std::map<int, Holes> holes_of_;  // of each part
  bool is_no_vessel_ = false;
  VesselAnalysis& result_;
};

}  // namespace

const char* name_of(VesselOpening::Kind kind) {
  return kind == Kind::hole ? "hole" : kind == Kind::cap ? "flat cap" : "blind end";
}

int VesselAnalysis::parts() const {
  std::set<int> parts;
  for (const auto& o : openings) parts.insert(o.part);
  return std::max(1, static_cast<int>(parts.size()));
}

bool VesselAnalysis::is_usable() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.weight == Weight::unusable; });
}

VesselAnalysis find_openings(Surface surface, double voxels, Repairs repairs) {
  VesselAnalysis result;
  Finder(std::move(surface), voxels, repairs, result).run();
  return result;
}

}  // namespace weft::openings
