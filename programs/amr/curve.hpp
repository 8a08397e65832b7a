// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace [[gnu::visibility("default")]] weft {
namespace amr {

enum class Curve : std::uint8_t { hilbert, morton };

/// The position of a point along a space-filling curve through a cube of 2^bits points per axis (bits at most 20).
/// Hilbert: neighbours along the curve are neighbours in space (J. Skilling, Programming the Hilbert curve, AIP Conf.
/// Proc. 707, 2004). Morton: the bits of the coordinates interleaved.
std::uint64_t place_on_curve(Curve curve, const std::array<std::uint32_t, 3>& point, int bits);

/// Cuts a sequence of weighted items into `ranks` runs of about equal weight; returns each item's rank, ascending. A
/// pure function: every rank gets the same result.
std::vector<std::int32_t> cut_by_weight(std::span<const double> weights, int ranks);

}  // namespace amr
}  // namespace weft
