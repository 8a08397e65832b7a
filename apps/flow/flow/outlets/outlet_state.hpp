// SPDX-License-Identifier: BSD-3-Clause
//
// What outlets go on with, as JSON in a checkpoint: numbers come back with the same bits.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "flow/lumped/circulation.hpp"
#include "flow/outlets/beats.hpp"
#include "flow/outlets/tuner.hpp"

namespace weft::flow {

/// Where a flow broke, numbers are none, and a text has no other word for them than null.
double number_of(const nlohmann::json& value);

nlohmann::json json_of(const Beats::State& state);
nlohmann::json json_of(const Tuner::State& state);
nlohmann::json json_of(const Circulation::State& state);

/// Throw nlohmann::json::exception if it is none.
Beats::State beats_of(const nlohmann::json& value);
Tuner::State tuner_of(const nlohmann::json& value);
Circulation::State circulation_of(const nlohmann::json& value);

}  // namespace weft::flow
