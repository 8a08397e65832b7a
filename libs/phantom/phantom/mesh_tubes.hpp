// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "geometry/surface.hpp"
#include "phantom/tube_tree.hpp"

namespace weft::phantom {

/// The surface of a tree of tubes: closed, manifold, oriented outwards, its triangles' edges about as long as
/// `spacing`.
///
/// Marching tetrahedra over a lattice of that spacing, whose cuts keep off the lattice's points so that no triangle is
/// degenerate; then the vertices are evened out along the surface and put back onto it, which changes no connection.
/// `spacing` has to be well below the smallest radius. Takes time as the surface does, not as the box around it.
geometry::Surface mesh_tubes(const TubeTree& tree, double spacing);

/// Whether a closed surface is that of a ball, but for its form: in one piece, without a loop.
bool is_one_ball(const geometry::Surface& surface);

/// The smallest angle of any triangle, in degrees.
double smallest_angle(const geometry::Surface& surface);

}  // namespace weft::phantom
