// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "view/picture.hpp"

namespace weft::view::testing {

/// A bent tube with an aneurysm, as a scene asks for it: enough to see that each of its settings arrives.
Picture draw_fake(const nlohmann::json& scene, std::int64_t step);

}  // namespace weft::view::testing
