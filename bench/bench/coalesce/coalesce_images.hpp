// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/coalesce/coalesce.hpp"
#include "flow/case/case.hpp"
#include "flow/vessel/vessel.hpp"

namespace weft::bench {

/// Table 1 of Carver et al.: runs of `steps` steps with evenly spread pictures, coalesced and not. The clients of every
/// step are those of weft flow (monitors, lattice, the pictures' control) and, while a picture is in progress, those
/// that send its ghosts and stages.
///
/// Each run begins with a lattice at rest, so both modes do the same work; they are interleaved, in alternating order.
/// Throws an Error on every rank if not all requested pictures are made, or if they differ between the modes.
/// Collective.
void coalesce_images(Transport& transport, const CoalesceOptions& options, const flow::Case& c,
                     const flow::Vessel& vessel, Report& report);

}  // namespace weft::bench
