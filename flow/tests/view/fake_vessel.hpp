// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "view/encoder.hpp"

namespace weft::view::testing {

/// A picture of a bent tube with an aneurysm, for a scene. It shows that each setting of the scene arrives.
Picture draw_fake(const nlohmann::json& scene, std::int64_t step);

}  // namespace weft::view::testing
