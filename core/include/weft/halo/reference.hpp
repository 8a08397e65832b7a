// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "weft/halo/halo.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Fills the ghost points of all fields of a halo in a slow and simple way: every rank gathers the whole grid and finds
/// each ghost point by its number. The tests compare the schemes with the result. Collective.
void fill_by_reference(Transport& transport, const Halo& halo);

}  // namespace weft
