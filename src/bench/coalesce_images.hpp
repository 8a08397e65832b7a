// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/coalesce.hpp"
#include "flow/case.hpp"
#include "flow/vessel.hpp"

namespace weft::bench {

/// Table 1 of Carver et al.: runs of so many steps that make so many pictures, evenly spread, coalesced and not. Every step's
/// clients are the flow's own: monitors, lattice and the pictures' control; and while there is a picture to be made, what its
/// ghosts and stages send.
///
/// Each run begins with a lattice at rest, so both modes do the same work; they take turns, in an order that alternates. That
/// the same pictures come out of both, and as many as were asked for, is checked (an Error on every rank otherwise).
/// Collective.
void coalesce_images(Transport& transport, const CoalesceOptions& options, const flow::Case& c, const flow::Vessel& vessel,
                     Report& report);

}  // namespace weft::bench
