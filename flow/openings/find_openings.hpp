// SPDX-License-Identifier: BSD-3-Clause
//
// The library openings: from a vessel's surface to a case: the errors of the surface, its openings (flat caps, open
// ends, blind ends), the flow through each, the text of a case for weft flow, and a picture. It runs on one rank. Used
// by weft openings and by the set-up page of weft flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "geometry/centreline.hpp"
#include "geometry/surface.hpp"
#include "openings/finding.hpp"

namespace weft::openings {

using geometry::Surface;
using geometry::Vector;

/// A place where fluid may enter or leave a vessel.
struct VesselOpening {
  enum class Kind : std::uint8_t {
    hole,  ///< the surface is open there
    cap,   ///< a flat end
    blind  ///< a rounded end, cut where the lumen behind it has the tube's section
  };
  Kind kind = Kind::hole;
  std::string name;             ///< of the solid of an STL file that closes it; empty: none, or not the only one
  Vector centre{}, normal{};    ///< of the lumen at the cut; the normal is of unit length and points into the vessel
  double area = 0;              ///< of the lumen
  double radius = 0;            ///< of the circle of that area
  double roundness = 0;         ///< 4 pi area / circumference^2: 1 is a circle, a square 0.79
  double aspect = 1;            ///< the lumen's shorter axis over its longer one
  double disc_radius = 0;       ///< of a disc around the centre that cuts all of the lumen and no other lumen
  std::vector<Vector> contour;  ///< the lumen's outline
  int part = 0;                 ///< which of several unconnected vessels: 0 is the largest
};

const char* name_of(VesselOpening::Kind kind);

/// The analysis of a surface and its openings. All lengths are in the surface's units.
struct VesselAnalysis {
  std::vector<VesselOpening> openings;  ///< the largest first
  std::vector<Finding> findings;        ///< errors and remarks about the surface
  Surface surface;                      ///< as repaired; its openings are open or capped as before
  bool is_repaired = false;             ///< it differs from the given one
  geometry::Centrelines lines;          ///< their ends are not in the order of the openings
  Vector low{}, high{};                 ///< bounding box
  double volume = 0;
  double narrowest = 0;  ///< diameter of the narrowest lumen between openings (of the largest sphere that passes)
  Vector narrowest_at{};

  int parts() const;       ///< number of parts: 1, or more for separate vessels
  bool is_usable() const;  ///< no finding makes weft flow refuse the surface
};

/// What is repaired before the openings are searched.
enum class Repairs : std::uint8_t {
  none,
  safe,  ///< what can be repaired in one way only: geometry::repair_surface
  all    ///< also welds rims that are up to 1e-4 of the size apart, and closes each hole that does not end a tube
};

constexpr double usual_voxels = 400'000;

/// Finds every opening of a vessel. `surface` may be open or closed, in any unit (all tolerances are relative).
/// `voxels`: number of voxels that fill the lumen for the centrelines; fewer are faster and coarser. Not collective;
/// about four seconds for 500,000 triangles.
VesselAnalysis find_openings(Surface surface, double voxels = usual_voxels, Repairs repairs = Repairs::safe);

/// The role of an opening in the case.
enum class Role : std::uint8_t { inlet, outlet, closed };

/// The user's choices, by the numbers of the table minus one.
struct RoleChoices {
  std::optional<std::size_t> inlet = {};  ///< none: roles_of chooses
  std::set<std::size_t> skip = {};        ///< stay closed
  std::set<std::size_t> outlets = {};     ///< if not empty: all others except the inlet stay closed
};

/// The role of each opening. Of several separate vessels each has its own inlet, the largest opening that stays open,
/// or, if solids are named, the largest one whose name begins with "in". A vessel with less than two open openings has
/// no flow, and its opening stays closed (or is an outlet, if it is a hole). Throws InputError if an opening has two
/// roles, or if a closed one is a hole of the surface, which weft flow would refuse.
std::vector<Role> roles_of(const VesselAnalysis& vessel, const RoleChoices& choices);

/// The name in the case: that of the surface's solid, else "inlet", "outlet2"; the inlets of further vessels have their
/// numbers, too.
std::string name_in_case(const VesselAnalysis& vessel, const std::vector<Role>& roles, std::size_t opening);
/// The same for a surface without solids.
std::string name_in_case(const std::vector<Role>& roles, std::size_t opening);

}  // namespace weft::openings
