// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case.hpp"
#include "flow/vessel.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Million site updates per second of all ranks together, from a few steps without messages: for estimates of run time.
/// Collective.
double measure_speed(Transport& transport, const Case& c, const Vessel& vessel);

}  // namespace weft::flow
