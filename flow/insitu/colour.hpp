// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "insitu/scene.hpp"

namespace weft::insitu {

/// Red, green, blue, each from 0 to 1, as displayed.
using Colour = std::array<float, 3>;

/// The colour of a value from 0 to 1; values outside have the colour of the nearer end.
///   viridis    S. van der Walt, N. Smith (2015), dedicated to the public domain; interpolated between 33 of its
///   colours diverging  K. Moreland, Diverging color maps for scientific visualization, ISVC 2009: cool to warm,
///   through a light grey
Colour colour_of(ColourMap map, float value);

}  // namespace weft::insitu
