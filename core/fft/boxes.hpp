// SPDX-License-Identifier: BSD-3-Clause
//
// The boxes that a program gives to a transform.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fft/layout.hpp"
#include "weft/transport/transport.hpp"

namespace weft::fft {

/// "[0, 4) x [2, 5) x [0, 8)": the points along x, y and z.
std::string text_of(const Box& box);

/// The boxes that all ranks give of a grid, by rank, with their rows; empty if no rank gives one. `what`: "field" or
/// "spectrum". Throws Error on all ranks unless each point of the grid is in one box. Collective.
std::vector<Box> gather_boxes(Transport& transport, const std::optional<Box>& mine, const Size3& grid,
                              const std::string& what);

/// The points in both boxes; their counts may be 0.
std::array<Block, 3> common_points(const Box& a, const Box& b);

/// Whether both are the same points in the same memory layout, or no points.
bool same_layout(const Box& a, const Box& b);

}  // namespace weft::fft
