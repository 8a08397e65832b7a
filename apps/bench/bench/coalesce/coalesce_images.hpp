// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/coalesce/coalesce.hpp"
#include "flow/case/case.hpp"
#include "flow/vessel/vessel.hpp"

namespace weft::bench {

/// Table 1 of Carver et al.: runs of so many steps that make so many pictures, evenly spread, coalesced and not.
/// Clients of every step are the flow's own (monitors, lattice, the pictures' control) and, while there is a picture to
/// be made, what sends its ghosts and stages.
///
/// Each run begins with a lattice at rest, so both modes do the same work; they take turns, in an order that
/// alternates. As many pictures as were asked for come out, the same of both modes: an Error on every rank otherwise.
/// Collective.
void coalesce_images(Transport& transport, const CoalesceOptions& options, const flow::Case& c,
                     const flow::Vessel& vessel, Report& report);

}  // namespace weft::bench
