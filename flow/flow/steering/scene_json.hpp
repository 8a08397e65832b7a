// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "insitu/scene.hpp"
#include "program/value.hpp"

namespace weft::flow {

/// Reads a scene; missing keys have the defaults of Scene. Throws InputError.
insitu::Scene scene_of(const program::Value& object);
nlohmann::ordered_json json_of(const insitu::Scene& scene);

}  // namespace weft::flow
