// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft::bench::collectives {

/// Who comes late, and by which share of the delay: for each run a row with a number for each rank, of which the
/// largest is 1 and the smallest 0. Rows follow one another, from the first again after the last.
using DelayPattern = std::vector<std::vector<double>>;

/// From "3" (that rank), "random:2" (two ranks, others in each run) or a file: a row a line, blanks between its
/// numbers, # begins a comment. Throws InputError, everywhere. Collective.
DelayPattern delay_pattern(Transport& transport, const std::string& delayed, std::uint64_t seed);

/// What the file says. Throws InputError.
DelayPattern read_delay_pattern(const std::string& text, int ranks);

}  // namespace weft::bench::collectives
