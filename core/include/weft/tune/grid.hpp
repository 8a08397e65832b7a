// SPDX-License-Identifier: BSD-3-Clause
//
// Tuning of how a program's grid is distributed: the process grid, and which rank has which block.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "weft/halo/cartesian_grid.hpp"
#include "weft/halo/halo.hpp"
#include "weft/transport/transport.hpp"
#include "weft/tune/setting.hpp"
#include "weft/tune/tuning.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Candidates for the Tuning of a CartesianGrid, whose blocks have at least `width` points along axes with neighbours.
/// The values are `processes`, such as 4x2x1, and `rank_order` (RankOrder). The first is the grid that CartesianGrid
/// chooses, in row-major order. Of the other process grids that the options allow those are left out whose largest
/// block sends more than twice as many points to other ranks as the fewest; at most `most` remain, those that send the
/// fewest. Each is a candidate in row-major order and by node, unless that is the same. Collective.
std::vector<Setting> grid_candidates(Transport& transport, const GridOptions& options, std::size_t width = 1,
                                     std::size_t most = 8);

/// Sets the options that the setting names (processes, rank_order). Collective. Throws an InputError with the allowed
/// values if a value is unknown.
void apply(const Setting& setting, Transport& transport, GridOptions& options);

/// Chooses processes and ranks of a grid by the stored result, or by a dry run: halo exchanges of one field of its own,
/// with `bytes` bytes a point. Returns a text for the user. A program that can change its grid while it runs measures
/// its own steps by a Tuning with grid_candidates() instead. Collective.
std::string tune(Transport& transport, GridOptions& options, const HaloOptions& halo, std::size_t bytes,
                 const Tuning::Options& how);

}  // namespace weft
