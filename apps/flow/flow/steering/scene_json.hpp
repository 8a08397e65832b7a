// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "insitu/scene.hpp"
#include "program/value.hpp"

namespace weft::flow {

/// What is left out is as in a Scene of its own. Throws InputError.
insitu::Scene scene_of(const program::Value& object);
nlohmann::ordered_json json_of(const insitu::Scene& scene);

}  // namespace weft::flow
