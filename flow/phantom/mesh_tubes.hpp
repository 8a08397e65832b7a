// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "geometry/surface.hpp"
#include "phantom/tube_tree.hpp"

namespace weft::phantom {

/// The surface of a tree of tubes: closed, manifold, oriented outwards, with edges of about `spacing`.
///
/// Marching tetrahedra on a lattice of this spacing, whose cuts keep a distance from the lattice's points so that no
/// triangle is degenerate; then the vertices are redistributed along the surface and projected back onto it, without
/// change of connectivity. `spacing` must be well below the smallest radius. The time grows with the surface, not with
/// the box around it.
geometry::Surface mesh_tubes(const TubeTree& tree, double spacing);

/// Whether a closed surface is topologically a sphere: in one piece, without a loop.
bool is_one_ball(const geometry::Surface& surface);

/// The smallest angle of any triangle, in degrees.
double smallest_angle(const geometry::Surface& surface);

}  // namespace weft::phantom
