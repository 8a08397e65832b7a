// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft::bench::collectives {

/// The delayed ranks and their shares of the delay: per run a row with one number per rank; the smallest is 0 and the
/// largest 1. The rows are used one after the other, cyclically.
using DelayPattern = std::vector<std::vector<double>>;

/// From "3" (this rank), "random:2" (two random ranks per run) or a file: one row per line, numbers separated by
/// blanks, # begins a comment. Throws an InputError on all ranks. Collective.
DelayPattern delay_pattern(Transport& transport, const std::string& delayed, std::uint64_t seed);

/// Parses the content of such a file. Throws an InputError.
DelayPattern read_delay_pattern(const std::string& text, int ranks);

}  // namespace weft::bench::collectives
