// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "weft/halo/halo.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// Fills the ghosts of all fields of a halo the slow and obvious way: every rank gathers the whole grid and looks each
/// ghost point up by its number in it. What the schemes are tested against. Collective; every rank holds the grid.
void fill_by_reference(Transport& transport, const Halo& halo);

}  // namespace weft
