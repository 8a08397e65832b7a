// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "weft/exchange/requests.hpp"

namespace weft::inside {

/// The receives that combine into memory that they share with others, in the order of combining: by round, peer,
/// client's name and key. If one was listed with given(), whose memory is not known, all are among them; but never
/// those in any order. Throws an Error that names two receives of one round that share memory and don't both combine.
std::vector<Part> parts_in_turn(const std::deque<Requests>& clients, std::size_t buffer_count);

}  // namespace weft::inside
