// SPDX-License-Identifier: BSD-3-Clause
//
// The state of the outlets as JSON in a checkpoint: numbers are read back bitwise identical.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "flow/lumped/circulation.hpp"
#include "flow/outlets/beats.hpp"
#include "flow/outlets/tuner.hpp"

namespace weft::flow {

/// Reads a number; null stands for not-a-number, as in an unstable flow.
double number_of(const nlohmann::json& value);

nlohmann::json json_of(const Beats::State& state);
nlohmann::json json_of(const Tuner::State& state);
nlohmann::json json_of(const Circulation::State& state);

/// Throw nlohmann::json::exception if the value has another form.
Beats::State beats_of(const nlohmann::json& value);
Tuner::State tuner_of(const nlohmann::json& value);
Circulation::State circulation_of(const nlohmann::json& value);

}  // namespace weft::flow
